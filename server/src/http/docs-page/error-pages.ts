import { readFile } from 'node:fs/promises';
import type { Marked } from 'marked';
import { ERROR_PAGES_PATH, ERRORS } from '../../kernel/errors.ts';
import { packageFile } from '../../kernel/files.ts';

const FOLDER = packageFile('../docs/errors/');

let renderer: Promise<Marked> | undefined;

/** The page of one error code, or the index of all of them; null for an unknown code. */
export async function readErrorPage(code?: string): Promise<string | null> {
  if (code !== undefined && !Object.hasOwn(ERRORS, code)) return null;
  renderer ??= loadRenderer();
  const [markdown, text] = await Promise.all([
    renderer,
    readFile(new URL(`${code ?? 'README'}.md`, FOLDER), 'utf8'),
  ]);
  return page(code ?? 'Errors', markdown.parse(text, { async: false }));
}

/** Loaded with the first page, since most servers never show one. */
async function loadRenderer(): Promise<Marked> {
  const { Marked } = await import('marked');
  return new Marked({
    renderer: {
      // Only links between the pages are kept: the files that other links name are not served.
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const [, name] = /^(\w+)\.md$/.exec(href) ?? [];
        if (name === undefined) return text;
        const path = name === 'README' ? ERROR_PAGES_PATH : `${ERROR_PAGES_PATH}/${name}`;
        return `<a href="${path}">${text}</a>`;
      },
    },
  });
}

const page = (title: string, content: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title} – Keyward</title>
    <link rel="stylesheet" href="/docs/errors.css">
  </head>
  <body>
    <header>
      <a href="/docs">API reference</a>
      <a href="${ERROR_PAGES_PATH}">All errors</a>
    </header>
    <main>
${content}    </main>
  </body>
</html>
`;
