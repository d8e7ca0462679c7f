import { demandNode } from './node-version.ts';
import { runVitest } from './run-vitest.ts';
import { finish } from './test-tally.ts';
import { ensureTool, gatewayPaths } from './test-tools.ts';

/** `npm run test:faults`: the same fault tests that `npm test` runs scaled down, at full length. */
demandNode();

finish(
  await runVitest(['server/test/faults/', 'server/test/cluster/'], {
    KEYWARD_FAULTS: 'full',
    REDIS_SERVER: await ensureTool('redis'),
    ...(await gatewayPaths()),
  }),
);
