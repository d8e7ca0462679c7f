import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
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
export const inSharedProcess = {
  ...everyTest,
  isolate: false,
  experimental: { ...byNode, nodeLoader: false },
} as const;

const inOwnProcess = { ...everyTest, experimental: byNode } as const;

export const UNIT_TESTS = [
  'rules/src/**/*.test.ts',
  'server/src/**/*.test.ts',
  'scripts/**/*.test.ts',
  'bench/**/*.test.ts',
  'sdk/**/*.test.ts',
  'dashboard/src/**/*.test.ts',
];

/** Tests that replace the clock or the time zone of their process, or use all of its connections. */
const ofOwnProcess = [
  'server/test/faults/local/local-revocation.test.ts',
  'server/test/webhooks/guard.test.ts',
  'dashboard/src/text/time/periods.test.ts',
];

/** Tests that use storage through the configured engine run a second time, on PostgreSQL. */
const ofAnyEngine = [
  'server/test/{e2e,model,signals,webhooks}/**/*.test.ts',
  'server/test/edge/equal-responses.test.ts',
  'server/test/faults/{fuzz,limits-race,webhook-receivers}.test.ts',
  'server/test/faults/usage/*.test.ts',
  'server/test/{dashboard,portal}/story.test.ts',
  'server/src/app/first-boot.test.ts',
  'server/src/features/**/{retention,sealer,sender,service,store}.test.ts',
];

/**
 * Of those, what does not depend on the engine: commands, pages, the framing of requests, and what
 * other suites already test on both engines.
 */
const ofSqliteOrNone = [
  'server/test/e2e/**/{audit-verify,cli,docs-page,import-cli,pages,usage-cli,webhooks-cli}.test.ts',
  'server/test/e2e/**/{bad-input,docs-blocks,hot-path-off,import-slices,input-limits,mcp}.test.ts',
  'server/test/e2e/**/{management-limit,odd-framing,overload,raw-connections,sign-in-attack,unknown-callers}.test.ts',
  'server/test/e2e/**/{portal-matrix,scan-cli,tutorial,unread-responses,validation-forms}.test.ts',
  'server/test/signals/{cloudevents,metering}.test.ts',
  'server/test/webhooks/{delivery-pace,guard,ssrf}.test.ts',
];

const onPostgres = { TEST_ENGINE: 'postgres' };

const project = (
  name: string,
  settings: TestProjectInlineConfiguration['test'],
): TestProjectInlineConfiguration => ({ test: { name, ...settings } });

export default defineConfig({
  test: {
    globalSetup: ['server/test/harness/postgres/setup.ts'],
    // One more than the smallest machine has cores, because many tests wait for a timer or a process. Twice
    // as many need a fifth more processor time on two cores.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      project('sqlite', {
        ...inSharedProcess,
        include: [...UNIT_TESTS, 'server/test/**/*.test.ts'],
        exclude: [...configDefaults.exclude, ...ofOwnProcess],
      }),
      project('sqlite, own process', { ...inOwnProcess, include: ofOwnProcess }),
      project('postgres', {
        ...inSharedProcess,
        include: ofAnyEngine,
        exclude: [...ofSqliteOrNone, ...ofOwnProcess],
        env: onPostgres,
      }),
    ],
  },
});
