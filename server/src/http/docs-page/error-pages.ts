import { readFile } from 'node:fs/promises';
import { Marked } from 'marked';
import { ERROR_PAGES_PATH, ERRORS } from '../../kernel/errors.ts';
import { packageFile } from '../../kernel/files.ts';

const FOLDER = packageFile('../docs/errors/');

/** Links between the pages lead to where they are served; others are text, as their files are not. */
const markdown = new Marked({
  renderer: {
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens);
      const [, name] = /^(\w+)\.md$/.exec(href) ?? [];
      if (name === undefined) return text;
      const path = name === 'README' ? ERROR_PAGES_PATH : `${ERROR_PAGES_PATH}/${name}`;
      return `<a href="${path}">${text}</a>`;
    },
  },
});

/** The page of one error code, or the index of all of them; null for an unknown code. */
export async function readErrorPage(code?: string): Promise<string | null> {
  if (code !== undefined && !Object.hasOwn(ERRORS, code)) return null;
  const text = await readFile(new URL(`${code ?? 'README'}.md`, FOLDER), 'utf8');
  const content = markdown.parse(text, { async: false });
  return page(code ?? 'Errors', content);
}

const page = (title: string, content: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title} – Keyward</title>
    <link rel="stylesheet" href="/docs/docs.css">
  </head>
  <body class="article">
    <header class="top">
      <a class="brand" href="/docs">Keyward API</a>
      <a href="${ERROR_PAGES_PATH}">All errors</a>
    </header>
    <main>
${content}    </main>
  </body>
</html>
`;
