import { requireNodeVersion } from './node-version.ts';
import { runVitest } from './run-vitest.ts';
import { finish } from './test-results.ts';
import { ensureTool, gatewayPaths } from './test-tools.ts';

/** `npm run test:faults`: the tests that `npm test` runs with fewer rounds, with all their rounds. */
const FILES = [
  'server/test/faults/',
  'server/test/cluster/',
  'server/test/model/',
  'server/test/webhooks/value-rights.test.ts',
  'server/test/deploy/rolling-restart.test.ts',
];
requireNodeVersion();

finish(
  await runVitest(FILES, {
    KEYWARD_FAULTS: 'full',
    REDIS_SERVER: await ensureTool('redis'),
    ...(await gatewayPaths()),
  }),
);
