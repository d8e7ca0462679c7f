import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

const DIST = fileURLToPath(new URL('../../../dashboard/dist/portal/', import.meta.url));
const FIRST_LOAD_BYTES_MAX = 120 * 1024;

const files = readdirSync(DIST, { recursive: true, encoding: 'utf8' }).filter((name) =>
  /\.(html|js|css)$/.test(name),
);

it('the portal page needs at most 120 KB, compressed', () => {
  expect(files.length).toBeGreaterThanOrEqual(3);
  const bytes = files
    .map((name) => gzipSync(readFileSync(DIST + name), { level: 9 }).length)
    .reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeLessThanOrEqual(FIRST_LOAD_BYTES_MAX);
});

it('the portal page has no inline code, and loads nothing from other hosts', () => {
  const html = readFileSync(`${DIST}index.html`, 'utf8');
  expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:/i);
  for (const [, attributes, body] of html.matchAll(/<script([^>]*)>([^<]*)/g)) {
    expect(attributes).toContain('src="/portal/assets/');
    expect(body?.trim()).toBe('');
  }
  const css = files.filter((name) => name.endsWith('.css'));
  const text = css.map((name) => readFileSync(DIST + name, 'utf8')).join();
  expect(html + text).not.toMatch(/(src|href)="(https?:)?\/\/|url\(["']?(https?:)?\/\/|@import/);
});
