import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { requireNodeVersion } from './node-version.ts';
import { ROOT } from './run-tool.ts';
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

const env: Record<string, string> = {
  ...(await gatewayPaths()),
  ...(await monitoringPaths()),
  ...(await languagePaths()),
  ...(await deploymentPaths()),
};
if (existsSync(join(ROOT, 'server/test/e2e/docs-page.test.ts'))) {
  env.CHROMIUM_PATH = await ensureTool('chromium');
}
env.REDIS_SERVER = await ensureTool('redis');

finish(sumOf([await runStaticChecks(), await runVitest([], env)]));
