import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vitepress';
import { llmsFullText, llmsText } from '../docs/.vitepress/llms.ts';
import { textOf } from '../docs/.vitepress/site-paths.ts';

/** Builds the documentation site from docs/ into docs/dist, which the server serves at /docs. */
const DOCS = fileURLToPath(new URL('../docs/', import.meta.url));
const SITE = join(DOCS, 'dist');
const MIN_BYTES = 1024;
const TEXT = /\.(?:js|css|svg|html|json|txt)$/;

rmSync(SITE, { recursive: true, force: true });
mkdirSync(SITE, { recursive: true });
await build(DOCS);

const files = () => readdirSync(SITE, { recursive: true, encoding: 'utf8' });

// What pages link to and is no page, such as configurations of gateways, as text.
const texts = files()
  .filter((name) => name.endsWith('.html'))
  .flatMap(
    (name) =>
      readFileSync(join(SITE, name), 'utf8').match(/(?<="\/docs\/files\/)[^"]+(?=\.txt")/g) ?? [],
  );
for (const path of new Set(texts)) {
  const target = join(SITE, 'files', `${path}.txt`);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, textOf(path));
}
writeFileSync(join(SITE, 'llms.txt'), llmsText());
writeFileSync(join(SITE, 'llms-full.txt'), llmsFullText());

for (const name of files()) {
  if (!TEXT.test(name)) continue;
  const file = join(SITE, name);
  const bytes = readFileSync(file);
  if (bytes.length >= MIN_BYTES) writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
}
