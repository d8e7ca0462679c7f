import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the site has a file of the repository: as a page, as text, or not at all. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Markdown in these folders, and these files, are pages. */
const PAGE_FOLDERS = ['clients', 'docs', 'examples', 'sdk'];
const PAGE_FILES = ['CHANGELOG.md', 'CODE_OF_CONDUCT.md', 'CONTRIBUTING.md', 'SECURITY.md'];
/** What pages link to in these folders is served as text. */
const TEXT_FOLDERS = ['clients', 'deploy', 'docs', 'examples'];
const TEXT_FILES = ['compose.yaml', 'Dockerfile', 'LICENSE'];

const isIn = (folders: readonly string[], path: string): boolean =>
  folders.some((folder) => path.startsWith(`${folder}/`));
const isPage = (path: string): boolean =>
  path.endsWith('.md') && (PAGE_FILES.includes(path) || isIn(PAGE_FOLDERS, path));

/** What VitePress shall not take for pages. */
export const notPages: readonly string[] = [
  ...readdirSync(ROOT).filter((name) => !PAGE_FOLDERS.includes(name) && !PAGE_FILES.includes(name)),
  'sdk/{src,test}',
].map((name) => (/\./.test(name) ? name : `${name}/**`));

/**
 * `docs/guides/portal.md` is the page `guides/portal.md`. The README of a folder is its `index.md`, or that of a folder in
 * another folder a page beside it: `clients/go/README.md` is `clients/go.md`.
 */
export function pagePath(path: string): string {
  const [folder, ...names] = path.replace(/^docs\//, '').split('/');
  if (names.at(-1) !== 'README.md') return [folder, ...names].join('/').replace(/^README/, 'index');
  return names.length === 1
    ? `${folder}/index.md`
    : `${[folder, ...names.slice(0, -1)].join('/')}.md`;
}

export const pageLink = (path: string): string =>
  `/${pagePath(path).replace(/(?:index)?\.md$/, '')}`;

/** The address on the site of a file or folder of the repository, or null. */
export function siteLink(path: string): string | null {
  const name = posix.normalize(path).replace(/\/$/, '');
  if (name === 'docs/openapi.json') return '/api/';
  if (name === 'README.md' || name === 'docs') return '/';
  if (isPage(name)) return pageLink(name);
  const readme = `${name}/README.md`;
  if (isPage(readme) && existsSync(join(ROOT, readme))) return pageLink(readme);
  return TEXT_FILES.includes(name) || isIn(TEXT_FOLDERS, name) ? `/files/${name}.txt` : null;
}

export const { version } = JSON.parse(readFileSync(join(ROOT, 'server/package.json'), 'utf8'));
export const GITHUB = 'https://github.com/keyward/keyward';
/** The files of this version, even if they change or move later. A pre-release has no tag. */
const tag = version.includes('-') ? 'main' : `v${version}`;
/** Texts that are also read elsewhere, such as on npm, name their links in full. */
const OWN_LINK = /^https:\/\/github\.com\/keyward\/keyward\/(?:blob|tree)\/main\//;

/** Where a link of a page leads on the site. What the site does not have is on GitHub. */
export function resolveLink(href: string, page: string): string {
  const own = href.replace(OWN_LINK, '/');
  if (own === href && /^(?:[a-z]+:|#|\/)/.test(href)) return href;
  const [path = '', hash] = own.split(/(?=#)/);
  const name = path.startsWith('/') ? path.slice(1) : posix.join(posix.dirname(page), path);
  return (siteLink(decodeURI(name)) ?? `${GITHUB}/blob/${tag}/${name}`) + (hash ?? '');
}

export const readText = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
export const titleOf = (path: string): string => /^# (.*)/m.exec(readText(path))?.[1] ?? path;

/** What `/files/PATH.txt` contains: a file, or all files of a folder. */
export function textOf(path: string): string {
  const file = join(ROOT, path);
  if (!statSync(file).isDirectory()) return readFileSync(file, 'utf8');
  return readdirSync(file, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => posix.join(entry.parentPath, entry.name))
    .toSorted()
    .map((each) => `==> ${posix.relative(ROOT, each)} <==\n\n${readFileSync(each, 'utf8')}\n`)
    .join('');
}
