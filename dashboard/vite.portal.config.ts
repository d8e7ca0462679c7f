import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { precompress } from './precompress.ts';

const folder = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The page that customers open. It is built after the dashboard, into a folder of its own. */
export default defineConfig({
  root: folder('portal'),
  // The page itself is served for each project, at `/portal/<project>/`.
  base: '/portal/',
  publicDir: false,
  plugins: [react(), precompress()],
  build: {
    outDir: folder('dist/portal'),
    target: 'es2023',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // The CSP blocks inlined files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    emptyOutDir: true,
  },
});
