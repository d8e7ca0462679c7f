import { parseArgs } from 'node:util';
import { ensurePackages } from './extra-packages.ts';
import { requireNodeVersion } from './node-version.ts';
import { runVitest } from './run-vitest.ts';
import { NEEDS } from './test-needs.ts';
import { finish, sumOf, type TestResults } from './test-results.ts';
import { projectsOf } from './test-tiers.ts';
import { pathsOf } from './test-tools.ts';

/**
 * `npm run test:system`: the tests that need more than `npm ci`, or many minutes. `-- --only redis` runs
 * one group, `-- --only redis,browser` two, and `-- --full` all rounds of the fault tests. The last line is `N passed, N failed`.
 */
requireNodeVersion();

const { values } = parseArgs({
  options: { only: { type: 'string', multiple: true }, full: { type: 'boolean' } },
});
const known = Object.keys(NEEDS);
const groups = values.only?.flatMap((names) => names.split(',')) ?? known;
const unknown = groups.filter((group) => !known.includes(group));
if (unknown.length > 0) {
  console.error(`No group ${unknown.join(', ')}. The groups are ${known.join(', ')}.`);
  process.exit(1);
}

const env: Record<string, string> = values.full ? { KEYWARD_FAULTS: 'full' } : {};
const ready: string[] = [];
const notReady: TestResults[] = [];
for (const group of groups) {
  try {
    const { tools, packages } = NEEDS[group]!;
    Object.assign(env, await pathsOf(tools));
    if (packages !== undefined) await ensurePackages(packages);
    ready.push(group);
  } catch (error) {
    const notes = [`group ${group}: ${(error as Error).message}`];
    notReady.push({ passed: 0, failed: 1, notes });
  }
}

const ran = ready.length === 0 ? [] : [await runVitest(ready.flatMap(projectsOf), env)];
finish(sumOf([...notReady, ...ran]));
