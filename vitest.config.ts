import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

const everyTest = {
  // Processes, not threads: the server starts storage threads of its own, and a test that
  // brings its process down must not take the others with it.
  pool: 'forks',
  testTimeout: 30_000,
  hookTimeout: 60_000,
  // A forgotten `.only` would leave out every other test of its file in silence.
  allowOnly: false,
} as const;

/** What is about storage and uses whichever is configured runs a second time, on PostgreSQL. */
const ofAnyEngine = [
  'server/test/{e2e,model,webhooks}/**/*.test.ts',
  'server/test/faults/{fuzz,limits-race,usage-clock,usage-flush,webhook-receivers}.test.ts',
  'server/src/app/first-boot.test.ts',
  'server/src/features/{audit,analytics,people,rate-limits}/**/*.test.ts',
];

const project = (
  name: string,
  include: string[],
  env: Record<string, string> = {},
): TestProjectInlineConfiguration => ({ test: { name, include, env, ...everyTest } });

export default defineConfig({
  test: {
    globalSetup: ['server/test/harness/postgres-setup.ts'],
    maxWorkers: 2,
    projects: [
      project('sqlite', [
        'server/src/**/*.test.ts',
        'server/test/**/*.test.ts',
        'scripts/**/*.test.ts',
        'bench/**/*.test.ts',
        'sdk/**/*.test.ts',
        'dashboard/src/**/*.test.ts',
      ]),
      project('postgres', ofAnyEngine, { TEST_ENGINE: 'postgres' }),
    ],
  },
});
