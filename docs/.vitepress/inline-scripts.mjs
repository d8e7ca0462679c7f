import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../dist/assets/', import.meta.url));

/** Writes inline scripts into files: VitePress sets the color scheme with one, and our policy blocks it. */
export function moveInlineScripts(html) {
  return html.replaceAll(/<script(?: id="[\w-]+")?>(.+?)<\/script>/gs, (_element, script) => {
    const name = `inline-${createHash('sha256').update(script).digest('hex').slice(0, 8)}.js`;
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(FOLDER + name, script);
    return `<script src="/docs/assets/${name}"></script>`;
  });
}
