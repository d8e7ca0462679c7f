import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const FOLDERS = '{server,sdk,dashboard,scripts,bench}';

it('no test uses vi.waitFor, which gives up after a second: expect.poll waits longer', () => {
  const files = globSync(`${FOLDERS}/**/*.{ts,tsx}`, {
    cwd: ROOT,
    exclude: ['**/node_modules/**', '**/dist/**'],
  });
  expect(files.length).toBeGreaterThan(500);
  const uses = /\bvi\.wait(For|Until)\(/;
  expect(files.filter((path) => uses.test(readFileSync(join(ROOT, path), 'utf8')))).toEqual([]);
});
