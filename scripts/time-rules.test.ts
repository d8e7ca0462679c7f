import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const FOLDERS = '{server,sdk,dashboard,scripts,bench}';

/** The lines of the files that the pattern is found in, as `path:line`. */
function linesWith(pattern: RegExp, files: string, isExcluded: (path: string) => boolean) {
  return globSync(files, { cwd: ROOT, exclude: ['**/node_modules/**', '**/dist/**'] })
    .filter((path) => !isExcluded(path))
    .flatMap((path) =>
      readFileSync(join(ROOT, path), 'utf8')
        .split('\n')
        .flatMap((line, n) => (pattern.test(line) ? [`${path}:${n + 1}`] : [])),
    );
}

it('no test uses vi.waitFor, which gives up after a second: expect.poll waits longer', () => {
  const tests = `${FOLDERS}/**/*.{ts,tsx}`;
  expect(linesWith(/\bvi\.wait(For|Until)\(/, tests, () => false)).toEqual([]);
});

it('only kernel/clock.ts reads the time: tests pass in a clock that they control', () => {
  const isExcluded = (path: string) =>
    path === 'server/src/kernel/clock.ts' || path.endsWith('.test.ts');
  const reading = /\bDate\.now\b|\bnew Date\(\)/;
  expect(linesWith(reading, 'server/src/**/*.ts', isExcluded)).toEqual([]);
});
