import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { bundledPackages } from '../../server/bundled-packages.mjs';
import { moveInlineScripts } from './inline-scripts.mjs';

const DOCS = fileURLToPath(new URL('../', import.meta.url));
/** The API reference is a page of the server, outside of this site. */
const API_REFERENCE = { link: '/api/', target: '_self' };

const { version } = JSON.parse(readFileSync(`${DOCS}../server/package.json`, 'utf8'));
/** The files of this version, even if they change or move later. A pre-release has no tag. */
const tag = version.includes('-') ? 'main' : `v${version}`;
const REPOSITORY = `https://github.com/keyward/keyward/blob/${tag}`;

const titleOf = (path) => /^# (.*)/m.exec(readFileSync(DOCS + path, 'utf8'))?.[1] ?? path;

const page = (path, text = titleOf(path)) => ({
  text,
  link: `/${path.replace(/(?:README)?\.md$/, '')}`,
});

const guides = readdirSync(`${DOCS}guides`)
  .map((name) => page(`guides/${name}`))
  .toSorted((a, b) => a.text.localeCompare(b.text));

export default defineConfig({
  title: 'Keyward',
  description: 'Issue, store and validate API keys.',
  base: '/docs/',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/dashboard/icon.svg' }]],
  outDir: 'dist',
  cleanUrls: true,
  rewrites: (path) => path.replace(/README\.md$/, 'index.md'),
  srcExclude: ['**/*.generated.md'],
  // The page metadata is a file, because the content security policy allows no inline script.
  metaChunk: true,
  transformHtml: (html) => moveInlineScripts(html),
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark' },
    // Links that leave docs/ lead to the repository.
    config(md) {
      md.core.ruler.push('links', ({ tokens, env }) => {
        const folder = posix.dirname(env.relativePath ?? '');
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const href = token.type === 'link_open' ? token.attrGet('href') : null;
          if (href === null || /^(?:[a-z]+:|#|\/)/.test(href)) continue;
          const path = posix.join(folder, href);
          if (path === 'openapi.json') {
            token.attrSet('href', API_REFERENCE.link);
            token.attrSet('target', API_REFERENCE.target);
          } else if (path.startsWith('../'))
            token.attrSet('href', `${REPOSITORY}/${path.slice(3)}`);
          else if (!/(?:\.md|\/)(?:#.*)?$/.test(path))
            token.attrSet('href', `${REPOSITORY}/docs/${path}`);
        }
      });
    },
  },
  ignoreDeadLinks: [/^\/api\//, /\/\/(?:localhost|127\.0\.0\.1)/],
  vite: {
    plugins: [
      {
        name: 'licences',
        generateBundle(_options, bundle) {
          const files = Object.values(bundle).flatMap((chunk) =>
            chunk.type === 'chunk' ? chunk.moduleIds : [],
          );
          const source = JSON.stringify(bundledPackages(files), null, 2);
          this.emitFile({ type: 'asset', fileName: 'licenses.json', source });
        },
      },
    ],
    build: { chunkSizeWarningLimit: 2000 },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      page('tutorial.md', 'Tutorial'),
      { text: 'API reference', ...API_REFERENCE },
      { text: version, link: `${REPOSITORY}/CHANGELOG.md` },
    ],
    socialLinks: [{ icon: 'github', link: 'https://github.com/keyward/keyward' }],
    sidebar: [
      { text: 'Start', items: [page('README.md', 'Overview'), page('tutorial.md')] },
      { text: 'How to', items: [...guides, page('gateways/README.md')] },
      {
        text: 'Reference',
        items: [
          { text: 'API', ...API_REFERENCE },
          page('reference/configuration.md'),
          page('reference/retention.md'),
          page('reference/command-line.md'),
          page('errors/README.md'),
          page('compatibility.md'),
        ],
      },
      {
        text: 'Explanation',
        items: [
          page('ARCHITECTURE.md'),
          page('decisions/README.md'),
          page('scale.md'),
          page('benchmarks.md'),
          page('dependencies.md'),
        ],
      },
    ],
  },
});
