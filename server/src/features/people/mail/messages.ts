export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Paragraphs and one link. */
function mail(to: string, subject: string, lines: readonly string[], link: string): Mail {
  const paragraphs = lines.map((line) => `<p>${escaped(line)}</p>`).join('\n');
  const button = `<p><a href="${escaped(link)}">${escaped(link)}</a></p>`;
  return {
    to,
    subject: oneLine(subject),
    text: `${lines.map(oneLine).join('\n\n')}\n\n${link}\n`,
    html: `<!doctype html>\n<meta charset="utf-8">\n<title>${escaped(subject)}</title>\n${paragraphs}\n${button}\n`,
  };
}

/** One line of a mail about notices, with a link to the key. */
export interface NoticeItem {
  readonly text: string;
  readonly link: string;
}

/** `items`: the first keys. `count`: the number of all keys, or a lower bound unless `isExact`. */
export function noticeMail(about: {
  to: string;
  subject: string;
  intro: string;
  items: readonly NoticeItem[];
  count: number;
  isExact: boolean;
  link: string;
}): Mail {
  const { to, subject, intro, items, count, isExact, link } = about;
  const more = count - items.length;
  const rest = more > 0 ? [`And ${isExact ? '' : 'at least '}${more} more.`] : [];
  if (more === 0 && !isExact) rest.push('There may be more.');
  const why =
    'You receive this email because your address is in the notice settings of this project.';
  const list = items.map(
    (item) => `<li><a href="${escaped(item.link)}">${escaped(item.text)}</a></li>`,
  );
  const paragraphs = [...rest, why].map((line) => `<p>${escaped(line)}</p>`).join('\n');
  return {
    to,
    subject: oneLine(subject),
    text: `${[
      intro,
      ...items.map((item) => `- ${oneLine(item.text)}\n  ${item.link}`),
      ...rest,
      why,
    ].join('\n\n')}\n\n${link}\n`,
    html: `<!doctype html>\n<meta charset="utf-8">\n<title>${escaped(subject)}</title>\n<p>${escaped(intro)}</p>\n<ul>${list.join('\n')}</ul>\n${paragraphs}\n<p><a href="${escaped(link)}">${escaped(link)}</a></p>\n`,
  };
}

export const invitationMail = (about: {
  to: string;
  accountName: string;
  inviter: string;
  role: string;
  link: string;
}): Mail =>
  mail(
    about.to,
    `Invitation to ${about.accountName}`,
    [
      `${about.inviter} invites you to ${about.accountName} on Keyward, as ${about.role}.`,
      'The link works once, within 7 days. If you did not expect this invitation, ignore this email.',
    ],
    about.link,
  );

export const resetMail = (to: string, name: string, link: string): Mail =>
  mail(
    to,
    'Reset your Keyward password',
    [
      `Hello ${name},`,
      'Someone requested a new password for your Keyward user. The link works once and expires in one hour. If this was not you, ignore this email; your password does not change.',
    ],
    link,
  );

/** A line break in a name must not start a header or a paragraph. */
const oneLine = (text: string): string => text.replaceAll(/[\p{C}\s]+/gu, ' ').trim();

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string =>
  oneLine(text).replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!);
