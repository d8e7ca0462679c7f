import type { LoginProviders, SmtpSettings } from '../features/people/index.ts';

/** Settings about people: mail and identity providers. */
export const PEOPLE_SETTINGS = {
  smtpUrl: {
    env: 'KEYWARD_SMTP_URL',
    flag: 'smtp-url',
    help: 'Mail server: smtp://user:password@host:587, or smtps://',
  },
  smtpFrom: {
    env: 'KEYWARD_SMTP_FROM',
    flag: 'smtp-from',
    help: 'Sender of mail, such as Keyward <keyward@example.com>',
  },
  oidcIssuer: {
    env: 'KEYWARD_OIDC_ISSUER',
    flag: 'oidc-issuer',
    help: 'OpenID Connect provider for signing in.',
  },
  oidcClientId: {
    env: 'KEYWARD_OIDC_CLIENT_ID',
    flag: 'oidc-client-id',
    help: 'Client id at the OpenID Connect provider.',
  },
  oidcClientSecret: {
    env: 'KEYWARD_OIDC_CLIENT_SECRET',
    flag: 'oidc-client-secret',
    help: 'Client secret at the OpenID Connect provider.',
  },
  oidcName: {
    env: 'KEYWARD_OIDC_NAME',
    flag: 'oidc-name',
    fallback: 'Single sign-on',
    help: 'Label of the button for the OpenID Connect provider.',
  },
  githubClientId: {
    env: 'KEYWARD_GITHUB_CLIENT_ID',
    flag: 'github-client-id',
    help: 'Client id of a GitHub OAuth app for signing in.',
  },
  githubClientSecret: {
    env: 'KEYWARD_GITHUB_CLIENT_SECRET',
    flag: 'github-client-secret',
    help: 'Client secret of the GitHub OAuth app.',
  },
  googleClientId: {
    env: 'KEYWARD_GOOGLE_CLIENT_ID',
    flag: 'google-client-id',
    help: 'Client id of a Google OAuth client for signing in.',
  },
  googleClientSecret: {
    env: 'KEYWARD_GOOGLE_CLIENT_SECRET',
    flag: 'google-client-secret',
    help: 'Client secret of the Google OAuth client.',
  },
} as const;

type Name = keyof typeof PEOPLE_SETTINGS;
type Text = (name: Name) => string | null;

/** Throws an error with the given message. */
type Wrong = (message: string) => never;

export interface PeopleConfig {
  readonly smtp: SmtpSettings | null;
  readonly loginProviders: LoginProviders;
}

export function readPeople(text: Text, wrong: Wrong): PeopleConfig {
  return { smtp: smtp(text, wrong), loginProviders: providers(text, wrong) };
}

/** The URL contains a password, so errors do not repeat it. */
function smtp(text: Text, wrong: Wrong): SmtpSettings | null {
  const url = text('smtpUrl');
  const from = text('smtpFrom');
  if (url === null) return null;
  if (!/^smtps?:$/.test(URL.parse(url)?.protocol ?? ''))
    wrong('KEYWARD_SMTP_URL must be a URL like smtp://user:password@host:587, or smtps://.');
  if (from === null || !/^[^\r\n]*[^\s@<>]+@[^\s@<>]+>?$/.test(from))
    wrong('KEYWARD_SMTP_FROM must be an address, like Keyward <keyward@example.com>.');
  return { url, from: from! };
}

function providers(text: Text, wrong: Wrong): LoginProviders {
  const pair = (id: Name, secret: Name) => {
    const [clientId, clientSecret] = [text(id), text(secret)];
    if ((clientId === null) !== (clientSecret === null))
      wrong(`${PEOPLE_SETTINGS[id].env} and ${PEOPLE_SETTINGS[secret].env} must be set together.`);
    return clientId === null ? null : { clientId, clientSecret: clientSecret! };
  };
  const github = pair('githubClientId', 'githubClientSecret');
  const google = pair('googleClientId', 'googleClientSecret');
  const oidc = pair('oidcClientId', 'oidcClientSecret');
  const issuer = text('oidcIssuer');
  if ((oidc === null) !== (issuer === null))
    wrong('KEYWARD_OIDC_ISSUER and KEYWARD_OIDC_CLIENT_ID must be set together.');
  if (issuer !== null && !/^https?:$/.test(URL.parse(issuer)?.protocol ?? ''))
    wrong('KEYWARD_OIDC_ISSUER must be an http or https URL.');
  return {
    ...(github && { github }),
    ...(google && { google }),
    ...(oidc && issuer !== null && { oidc: { ...oidc, issuer, name: text('oidcName')! } }),
  };
}
