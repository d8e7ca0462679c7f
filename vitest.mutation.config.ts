import { defineConfig } from 'vitest/config';

/** The tests of the files that `npm run test:mutation` changes; see stryker.config.json. */
export default defineConfig({
  test: {
    testTimeout: 480_000,
    include: [
      'server/src/features/validation/rules.test.ts',
      'server/src/kernel/{authority,time/expiry}.test.ts',
      'server/src/features/webhooks/transport/address-rules.test.ts',
      'server/src/cluster/counters/memory.test.ts',
      'rules/src/origin.test.ts',
      'sdk/test/{addresses,permissions,rules-edge-cases}.test.ts',
      'scripts/pure-rules.test.ts',
    ],
  },
});
