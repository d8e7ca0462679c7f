import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** The tests of the files that `npm run test:mutation` changes; see stryker.config.json. */
export default defineConfig({
  // Node would find the rules through node_modules, which Stryker's copy of the repository shares with it.
  resolve: { alias: { '@keyward/rules': join(import.meta.dirname, 'rules/src') } },
  test: {
    testTimeout: 480_000,
    include: [
      'server/src/features/validation/rules.test.ts',
      'server/src/kernel/{authority,time/expiry}.test.ts',
      'server/src/features/webhooks/transport/address-rules.test.ts',
      'server/src/cluster/counters/memory.test.ts',
      'rules/src/{check-key,addresses,origin,permissions,edge-cases}.test.ts',
      'scripts/pure-rules.test.ts',
    ],
  },
});
