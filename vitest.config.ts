import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'server/src/**/*.test.ts',
      'server/test/**/*.test.ts',
      'scripts/**/*.test.ts',
      'bench/**/*.test.ts',
      'sdk/**/*.test.ts',
      'dashboard/src/**/*.test.ts',
    ],
    globalSetup: ['server/test/harness/postgres-setup.ts'],
    // Processes, not threads: the server starts storage threads of its own, and a test that
    // brings its process down must not take the others with it.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A forgotten `.only` would leave out every other test of its file in silence.
    allowOnly: false,
  },
});
