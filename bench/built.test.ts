import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isStale } from './built.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyward-built-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, seconds: number): void {
  const file = join(folder, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, '');
  utimesSync(file, seconds, seconds);
}

it('is fresh when it was built after the last change, at any depth', () => {
  write('src/a.ts', 100);
  write('src/deep/b.ts', 200);
  write('dist/a.js', 300);
  expect(isStale(folder)).toBe(false);
  write('src/deep/b.ts', 400);
  expect(isStale(folder)).toBe(true);
});

it('is stale when it was never built', () => {
  write('src/a.ts', 100);
  expect(isStale(folder)).toBe(true);
});
