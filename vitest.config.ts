import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

const everyTest = {
  // Processes, not threads: the server starts storage threads of its own, and a test that
  // brings its process down must not take the others with it.
  pool: 'forks',
  testTimeout: 30_000,
  hookTimeout: 120_000,
  // Node itself loads the files, as it does in service: several times as quick as transforming them.
  experimental: { viteModuleRunner: false },
  // A forgotten `.only` would leave out every other test of its file in silence.
  allowOnly: false,
} as const;

/** What is about storage and uses whichever is configured runs a second time, on PostgreSQL. */
const ofAnyEngine = [
  'server/test/{e2e,model,threads,webhooks}/**/*.test.ts',
  'server/test/dashboard/story.test.ts',
  'server/test/faults/{fuzz,limits-race,usage-clock,usage-flush,webhook-receivers}.test.ts',
  'server/src/app/first-boot.test.ts',
  'server/src/features/{audit,analytics,people,rate-limits}/**/*.test.ts',
];

/** Of those, what starts a server of its own on SQLite, damages its file, or asks for pages alone. */
const ofSqliteOrNone = [
  'server/test/e2e/{audit-verify,cli,docs-page,pages,webhooks-cli}.test.ts',
  'server/test/threads/stop.test.ts',
  'server/test/webhooks/{guard,ssrf}.test.ts',
  'server/src/features/**/{key-entries,rules,segments}.test.ts',
];

const project = (
  name: string,
  include: string[],
  settings: { env?: Record<string, string>; exclude?: string[] } = {},
): TestProjectInlineConfiguration => ({ test: { name, include, ...settings, ...everyTest } });

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
      project('postgres', ofAnyEngine, {
        env: { TEST_ENGINE: 'postgres' },
        exclude: ofSqliteOrNone,
      }),
    ],
  },
});
