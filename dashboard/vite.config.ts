import { fileURLToPath } from 'node:url';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { precompress } from './precompress.ts';

export default defineConfig({
  base: '/dashboard/',
  plugins: [react(), tailwind(), precompress()],
  resolve: {
    // The client is built with the page, from its source: no order of builds to mind.
    alias: { keyward: fileURLToPath(new URL('../sdk/src/index.ts', import.meta.url)) },
  },
  build: {
    target: 'es2023',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // Fonts and pictures stay files of their own: nothing is inlined that a policy would forbid.
    assetsInlineLimit: 0,
    reportCompressedSize: true,
    manifest: true,
    rolldownOptions: {
      output: {
        // Left alone, a page is fifty files, most of them smaller than the asking for them.
        codeSplitting: { groups: [{ name: 'shared', minShareCount: 3 }] },
      },
    },
  },
});
