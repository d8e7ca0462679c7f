import { globSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { expect, it } from 'vitest';
import config from '../vitest.config.ts';
import { NEEDS } from './test-needs.ts';
import { FIRST_TIER_PROJECTS, GROUPS, projectsOf, SECOND_ENGINE } from './test-tiers.ts';

const ROOT = join(import.meta.dirname, '..');
const tests = globSync('**/*.{test,spec}.{ts,tsx,mts,cts,js,jsx,mjs,cjs}', {
  cwd: ROOT,
  exclude: ['**/node_modules', '**/dist', '**/.next', 'build', 'coverage', 'data'],
});

type Project = { test: { name: string; include: string[]; exclude?: string[] } };
const projects = config.test!.projects as Project[];

/** The tiers that would run a file: `first`, or names of groups. */
function tiersOf(path: string, all: readonly Project[] = projects): string[] {
  const names = all
    .filter(({ test: { include, exclude = [] } }) => {
      const matches = (glob: string) => matchesGlob(path, glob);
      return include.some(matches) && !exclude.some(matches);
    })
    .map(({ test }) => test.name);
  const tiers = ['first', ...GROUPS].filter((tier) =>
    (tier === 'first' ? FIRST_TIER_PROJECTS : projectsOf(tier)).some((name) =>
      names.includes(name),
    ),
  );
  return tiers;
}

it('every test file is in exactly one tier', () => {
  expect(tests.length).toBeGreaterThan(300);
  expect(tests.filter((path) => tiersOf(path).length !== 1)).toEqual([]);
});

it.each([
  ['server/test/e2e/a.test.ts', ['first']],
  ['server/test/sending/own-process/a.test.ts', ['first']],
  ['server/test/system/redis/a.test.ts', ['redis']],
  ['server/test/system/faults/own-process/a.test.ts', ['faults']],
  ['server/test/system/a.test.ts', []],
  ['examples/a.test.ts', []],
  ['server/test/e2e/a.spec.ts', []],
])('%s is in %j', (path, tiers) => {
  expect(tiersOf(path)).toEqual(tiers);
});

const groups = [...GROUPS, SECOND_ENGINE].toSorted();
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

it('every group says what it needs', () => {
  expect(Object.keys(NEEDS)).toEqual(groups);
});

it('CONTRIBUTING.md lists the groups', () => {
  const rows = read('CONTRIBUTING.md').matchAll(/^\| `(\w+)` \|/gm);
  expect([...rows].map(([, name]) => name)).toEqual(groups);
});

it('the workflow runs every group', () => {
  const [, list] = /^ +group: \[(.*)\]$/m.exec(read('.github/workflows/test.yml'))!;
  expect(list!.split(', ')).toEqual(groups);
});
