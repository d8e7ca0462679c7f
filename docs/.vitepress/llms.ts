import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SIDEBAR } from './sidebar.ts';
import { pageLink, ROOT, readText, resolveLink, titleOf } from './site-paths.ts';

/** The documentation for language models: https://llmstxt.org. */
const HEAD = `# Keyward

> API keys for your customers, on your own servers: issue, validate, limit, sell and revoke them over HTTP.

`;

const markdownOf = ({ items }: (typeof SIDEBAR)[number]): string[] =>
  items
    .map((item) => (typeof item === 'string' ? item : item[0]))
    .filter((path) => path.endsWith('.md'));

/** The first paragraph of a page, in one line. */
function summaryOf(path: string): string {
  const paragraphs = readText(path).split(/\n{2,}/);
  const first = paragraphs.find((text) => /^[\p{L}*`[]/u.test(text)) ?? '';
  return first
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The pages with their summaries. */
export function llmsText(): string {
  const sections = SIDEBAR.map((section) => {
    const lines = markdownOf(section).map(
      (path) =>
        `- [${titleOf(path).replaceAll('`', '')}](/docs${pageLink(path)}): ${summaryOf(path)}`,
    );
    return `## ${section.text}\n\n${lines.join('\n')}\n`;
  });
  const api =
    '## API\n\n- [OpenAPI description](/openapi.json)\n- [All pages as one text](/docs/llms-full.txt)\n';
  return `${HEAD}${[...sections, api].join('\n')}`;
}

function withLinks(path: string): string {
  return readText(path).replaceAll(/\]\(([^)\s]+)\)/g, (_link, href: string) => {
    const link = resolveLink(href, path);
    return `](${link.startsWith('/') ? `/docs${link}` : link})`;
  });
}

/** All pages but the decisions, with links that work on the server. */
export function llmsFullText(): string {
  const errors = readdirSync(join(ROOT, 'docs/errors')).map((name) => `docs/errors/${name}`);
  const paths = new Set([...SIDEBAR.flatMap(markdownOf), ...errors]);
  return HEAD + [...paths].map(withLinks).join('\n\n');
}
