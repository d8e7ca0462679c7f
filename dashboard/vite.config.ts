import { fileURLToPath } from 'node:url';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { precompress } from './precompress.ts';

/** Charts, new secrets, and forms and parts of the pages of keys, plans and customers: other pages do not load them. */
const OF_FEW_PAGES =
  /pages\/(policies|keys)\/|src\/fields\/(?!texts)|components\/charts|text\/outcomes|forms\/(limits|credits|json)-|use-draft|limit-rows|history-card|usage-card|display\/(fact|secret-once)|shown-once-dialog|useBlocker|api\/(plans|customers|webhooks)|webhook-health|radio-cards/;

export default defineConfig({
  base: '/dashboard/',
  plugins: [react(), tailwind(), precompress()],
  resolve: {
    // The client is built from source together with the page, so the order of builds does not matter.
    alias: { keyward: fileURLToPath(new URL('../sdk/src/index.ts', import.meta.url)) },
  },
  build: {
    target: 'es2023',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // Assets stay separate files: the CSP blocks inlined ones.
    assetsInlineLimit: 0,
    reportCompressedSize: true,
    manifest: true,
    license: { fileName: 'licenses.json' },
    rolldownOptions: {
      output: {
        // By default, a page consists of fifty files, most of them smaller than a request.
        codeSplitting: {
          groups: [
            {
              name: 'shared',
              minShareCount: 3,
              test: (file: string) => !OF_FEW_PAGES.test(file),
            },
          ],
        },
      },
    },
  },
});
