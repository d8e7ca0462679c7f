import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vitepress';
import { COMMANDS } from '../server/src/cli/commands/index.ts';
import { helpFor } from '../server/src/cli/help.ts';

/** Builds the documentation site from docs/ into docs/dist, which the server serves at /docs. */
const DOCS = fileURLToPath(new URL('../docs/', import.meta.url));
const SITE = join(DOCS, 'dist');
const MIN_BYTES = 1024;
const TEXT = /\.(?:js|css|svg|html|json)$/;

const plain = { style: (_style, text) => text };

const section = (command) =>
  `## ${command.words}\n\n\`\`\`text\n${helpFor(command, plain)}\`\`\`\n`;

writeFileSync(
  join(DOCS, 'reference/commands.generated.md'),
  COMMANDS.map((command) => section(command)).join('\n'),
);

rmSync(SITE, { recursive: true, force: true });
mkdirSync(SITE, { recursive: true });
await build(DOCS);

for (const name of readdirSync(SITE, { recursive: true, encoding: 'utf8' })) {
  if (!TEXT.test(name)) continue;
  const file = join(SITE, name);
  const bytes = readFileSync(file);
  if (bytes.length >= MIN_BYTES) writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
}
