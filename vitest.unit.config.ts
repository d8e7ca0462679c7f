import { configDefaults, defineConfig } from 'vitest/config';
import { inSharedProcess, UNIT_TESTS } from './vitest.config.ts';

/** `npm run test:unit`: the tests beside the code. They need no PostgreSQL, Redis or browser. */
export default defineConfig({
  test: {
    ...inSharedProcess,
    include: UNIT_TESTS,
    exclude: [
      ...configDefaults.exclude,
      // Installs the packed client and examples with npm.
      'sdk/test/packed/**',
      // Compares with a PostgreSQL schema.
      'server/src/storage/move/table-order.test.ts',
      // Changes the time zone of its process.
      'dashboard/src/text/time/periods.test.ts',
    ],
  },
});
