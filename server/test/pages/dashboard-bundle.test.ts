import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

const DIST = fileURLToPath(new URL('../../../dashboard/dist/', import.meta.url));
/** Two thirds are React, the router and the tables. The descriptions of all fields are 3 KB of it. */
const FIRST_LOAD_BYTES_MAX = 206 * 1024;

interface Chunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
}

const manifest: Record<string, Chunk> = JSON.parse(
  readFileSync(`${DIST}.vite/manifest.json`, 'utf8'),
);

/** Chunks and everything that they import. */
function closure(names: readonly string[]): Set<string> {
  const found = new Set<string>();
  const visit = (name: string) => {
    if (found.has(name)) return;
    found.add(name);
    for (const next of manifest[name]?.imports ?? []) visit(next);
  };
  for (const name of names) visit(name);
  return found;
}

const gzipped = (names: Iterable<string>): number =>
  [...names]
    .map((name) => gzipSync(readFileSync(DIST + manifest[name]!.file), { level: 9 }).length)
    .reduce((sum, bytes) => sum + bytes, 0);

const entry = Object.keys(manifest).find((name) => manifest[name]?.isEntry)!;
const pages = (manifest[entry]?.dynamicImports ?? []).filter((name) => name.includes('pages/'));

describe('bundle', () => {
  it('is split by page', () => {
    expect(pages.length).toBeGreaterThan(12);
  });

  it.each(pages)('%s needs at most 206 KB of compressed JavaScript', (page) => {
    expect(gzipped(closure([entry, page]))).toBeLessThanOrEqual(FIRST_LOAD_BYTES_MAX);
  });

  it('has no inline code, and loads nothing from other hosts', () => {
    const html = readFileSync(`${DIST}index.html`, 'utf8');
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:/i);
    for (const [, attributes, body] of html.matchAll(/<script([^>]*)>([^<]*)/g)) {
      expect(attributes).toContain('src="/dashboard/');
      expect(body?.trim()).toBe('');
    }
    const css = readdirSync(`${DIST}assets`).filter((name) => name.endsWith('.css'));
    const text = css.map((name) => readFileSync(`${DIST}assets/${name}`, 'utf8')).join();
    expect(html + text).not.toMatch(/(src|href)="(https?:)?\/\/|url\(["']?(https?:)?\/\/|@import/);
  });
});
