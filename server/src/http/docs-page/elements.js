/**
 * Makes an element. Text is always set as text, never as markup: descriptions and answers come from
 * elsewhere.
 *
 * @param {string} tag
 * @param {Record<string, unknown>} [attributes] `onclick` and the like are listeners; false and
 *   undefined are left out.
 * @param {...unknown} children
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  const present = children.flat(4).filter((child) => child !== undefined && child !== false);
  element.append(...present);
  return element;
}

/** Paragraphs, `code`, **weight** and [links](https://…): what descriptions here use of Markdown. */
export function prose(text = '') {
  return text
    .split(/\n\s*\n/)
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => h('p', {}, inline(paragraph)));
}

export function inline(text = '') {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\((?:https?:|#|\/)[^)\s]*\))/).map((part) => {
    if (part.startsWith('`')) return h('code', {}, part.slice(1, -1));
    if (part.startsWith('**')) return h('strong', {}, part.slice(2, -2));
    const link = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(part);
    return link ? h('a', { href: link[2] }, link[1]) : part;
  });
}

/** A block of code with a button that copies it. `update` puts another text in. */
export function codeBlock(label, text) {
  const code = h('code', {}, text);
  const said = h('span', { role: 'status', class: 'unseen' });
  const button = h('button', { type: 'button', class: 'copy', onclick: copy }, 'Copy');
  async function copy() {
    const done = await copyText(code);
    button.textContent = done ? 'Copied' : 'Selected';
    said.textContent = done ? `${label} copied` : `${label} selected`;
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 1500);
  }
  const block = h(
    'figure',
    { class: 'code' },
    h('figcaption', {}, label, button, said),
    h('pre', { tabindex: '0', 'aria-label': label }, code),
  );
  return {
    block,
    update: (next) => {
      code.textContent = next;
    },
  };
}

/** Browsers give the clipboard only to pages on https or localhost; elsewhere the text is selected. */
async function copyText(code) {
  try {
    await navigator.clipboard.writeText(code.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(code);
    return false;
  }
}
