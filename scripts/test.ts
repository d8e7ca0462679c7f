import { requireNodeVersion } from './node-version.ts';
import { runVitest } from './run-vitest.ts';
import { runStaticChecks } from './static-checks.ts';
import { finish, sumOf } from './test-results.ts';
import {
  deploymentPaths,
  ensureTool,
  gatewayPaths,
  languagePaths,
  monitoringPaths,
} from './test-tools.ts';

/** `npm test`: the static checks, then every test; the last line is `N passed, N failed`. */
requireNodeVersion();

const env = {
  ...(await gatewayPaths()),
  ...(await monitoringPaths()),
  ...(await languagePaths()),
  ...(await deploymentPaths()),
  CHROMIUM_PATH: await ensureTool('chromium'),
  REDIS_SERVER: await ensureTool('redis'),
};

finish(sumOf([await runStaticChecks(), await runVitest([], env)]));
