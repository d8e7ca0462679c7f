import { posix } from 'node:path';
import { defineConfig } from 'vitepress';
import { bundledPackages } from '../../server/bundled-packages.mjs';
import { moveInlineScripts } from './inline-scripts.mjs';
import { SIDEBAR } from './sidebar.ts';
import {
  GITHUB,
  notPages,
  pageLink,
  pagePath,
  ROOT,
  resolveLink,
  titleOf,
  version,
} from './site-paths.ts';

/** The API reference is a page of the server, outside of this site. */
const API_REFERENCE = { text: 'API', link: '/api/', target: '_self' };

const sidebarItem = (item) => {
  if (item === 'docs/openapi.json') return API_REFERENCE;
  const [path, text = titleOf(path)] = typeof item === 'string' ? [item] : item;
  return { text, link: pageLink(path) };
};

export default defineConfig({
  title: 'Keyward',
  description: 'API keys for your customers, on your own servers.',
  base: '/docs/',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/dashboard/icon.svg' }]],
  srcDir: '..',
  srcExclude: notPages,
  rewrites: pagePath,
  outDir: 'dist',
  cleanUrls: true,
  // The page metadata is a file, because the content security policy allows no inline script.
  metaChunk: true,
  transformHtml: (html) => moveInlineScripts(html),
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark' },
    config(md) {
      md.core.ruler.push('links', ({ tokens, env }) => {
        const page = posix.relative(ROOT, env.realPath ?? env.path);
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          if (token.type !== 'link_open') continue;
          const link = resolveLink(token.attrGet('href'), page);
          token.attrSet('href', link);
          // Not by the router of VitePress: these are no pages of the site.
          if (/^\/(?:api|files)\//.test(link)) {
            token.attrSet('href', `/docs${link}`);
            token.attrSet('target', '_self');
          }
        }
      });
    },
  },
  ignoreDeadLinks: [/\/\/(?:localhost|127\.0\.0\.1)/],
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
    // Not the settings of the server, which are beside the pages.
    esbuild: { tsconfigRaw: '{}' },
    build: { chunkSizeWarningLimit: 4000 },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Tutorial', link: pageLink('docs/tutorial.md') },
      { ...API_REFERENCE, text: 'API reference' },
      { text: version, link: pageLink('CHANGELOG.md') },
    ],
    socialLinks: [{ icon: 'github', link: GITHUB }],
    sidebar: SIDEBAR.map(({ text, items }) => ({
      text,
      items: items.map(sidebarItem),
    })),
  },
});
