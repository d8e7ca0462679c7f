import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, it } from 'vitest';
import { SIDEBAR } from '../docs/.vitepress/sidebar.ts';
import { ROOT } from './run-tool.ts';

/** Every link of every Markdown file leads to a file, and to a heading in it. */
const files = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'],
  {
    cwd: ROOT,
    encoding: 'utf8',
  },
)
  .trim()
  .split('\n');

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const withoutCode = (text: string): string =>
  text.replaceAll(/^```.*?^```$/gms, '').replaceAll(/(`+)[^`].*?\1/g, '');

/** Links that name a file of the repository in full, because the text is also read elsewhere. */
const OWN = /^https:\/\/github\.com\/keyward\/keyward\/(?:blob|tree)\/main\//;

const slugOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

function anchorsOf(file: string): ReadonlySet<string> {
  const text = read(file).replaceAll(/^```.*?^```$/gms, '');
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => slugOf(heading!));
  return new Set(headings.flatMap((slug) => [slug, slug.replaceAll(/-+/g, '-')]));
}

function problemOf(href: string, file: string): string | null {
  const own = href.replace(OWN, '/');
  if (own === href && /^[a-z]+:/.test(href)) return null;
  const [path = '', anchor] = own.split('#');
  const target = path.startsWith('/') ? path.slice(1) : posix.join(posix.dirname(file), path);
  const name = path === '' ? file : decodeURI(target);
  if (!existsSync(join(ROOT, name))) return 'no such file';
  if (anchor === undefined) return null;
  const page = statSync(join(ROOT, name)).isDirectory() ? `${name}/README.md` : name;
  return anchorsOf(page).has(anchor) ? null : 'no such heading';
}

it('every link leads to a file and a heading', () => {
  expect(files.length).toBeGreaterThan(150);
  let links = 0;
  const problems = files.flatMap((file) => {
    const text = withoutCode(read(file));
    const found = [...text.matchAll(/\]\(<?([^)\s>]+)>?\)|(?:src|srcset|href)="([^"]+)"/g)];
    links += found.length;
    return found.flatMap(([, markdown, html]) => {
      const problem = problemOf(markdown ?? html!, file);
      return problem === null ? [] : [`${file}: ${markdown ?? html}: ${problem}`];
    });
  });
  expect(problems).toEqual([]);
  expect(links).toBeGreaterThan(500);
});

it('every page of the documentation is in the sidebar, once', () => {
  const listed = SIDEBAR.flatMap(({ items }) =>
    items.map((item) => (typeof item === 'string' ? item : item[0]!)),
  );
  expect(new Set(listed).size).toBe(listed.length);
  const pages = files.filter((file) => /^docs\/(?!decisions\/|errors\/)/.test(file));
  expect(pages.filter((page) => !listed.includes(page))).toEqual([]);
  expect(listed.filter((page) => !existsSync(join(ROOT, page)))).toEqual([]);
});
