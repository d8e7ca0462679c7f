import { globSync } from 'node:fs';
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import {
  ANY_ENGINE,
  anyEngineOf,
  FIRST_TIER,
  FIRST_TIER_PROJECTS,
  GROUPS,
  OWN_PROCESS,
  ownProcessOf,
  projectsOf,
  SECOND_ENGINE,
  SECOND_TIER,
  testsOf,
} from './scripts/test-tiers.ts';
import { LongestFirst } from './server/test/harness/longest-first.ts';

const everyTest = {
  // Processes, not threads: a test that crashes its process must not take the others with it.
  pool: 'forks',
  // Only for tests that hang: no test may fail because the machine is slow, so none sets a shorter limit.
  testTimeout: 480_000,
  hookTimeout: 480_000,
  expect: { poll: { timeout: 240_000 } },
  // A forgotten `.only` would silently skip every other test of its file.
  allowOnly: false,
} as const;

/** Node loads the files itself, which is several times faster than transforming them. */
const byNode = { viteModuleRunner: false } as const;

/** One process runs many files: loading the service for each would cost more than most tests. */
const inSharedProcess = {
  ...everyTest,
  isolate: false,
  experimental: { ...byNode, nodeLoader: false },
} as const;

const inOwnProcess = { ...everyTest, experimental: byNode } as const;

const onPostgres = { TEST_ENGINE: 'postgres' };

/** Without tests, a project would be listed in vain. */
function project(
  name: string,
  include: string,
  settings: Omit<NonNullable<TestProjectInlineConfiguration['test']>, 'include' | 'name'>,
): TestProjectInlineConfiguration[] {
  if (globSync(include, { cwd: import.meta.dirname }).length === 0) return [];
  return [{ test: { name, include: [include], ...settings } }];
}

const exclude = [...configDefaults.exclude, OWN_PROCESS];

const firstTier = () => {
  const setupFiles = ['scripts/cpu-time.ts'];
  const [shared = '', own = ''] = FIRST_TIER_PROJECTS;
  const system = [...exclude, SECOND_TIER];
  return [
    ...project(shared, FIRST_TIER, { ...inSharedProcess, setupFiles, exclude: system }),
    ...project(own, OWN_PROCESS, {
      ...inOwnProcess,
      setupFiles,
      exclude: [...configDefaults.exclude, SECOND_TIER],
    }),
  ];
};

const group = (name: string) => {
  const [shared = '', own = '', postgres = ''] = projectsOf(name);
  return [
    ...project(shared, testsOf(name), { ...inSharedProcess, exclude }),
    ...project(own, ownProcessOf(name), inOwnProcess),
    ...project(postgres, anyEngineOf(name), { ...inSharedProcess, env: onPostgres }),
  ];
};

export default defineConfig({
  test: {
    globalSetup: ['server/test/harness/postgres/setup.ts'],
    // One more than the smallest machine has cores, because many tests wait for a timer or a process. Twice
    // as many need a fifth more processor time on two cores.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      ...firstTier(),
      ...GROUPS.flatMap(group),
      ...project(SECOND_ENGINE, ANY_ENGINE, { ...inSharedProcess, exclude, env: onPostgres }),
    ],
  },
});
