import { ensurePackages, PACKAGE_FOLDERS } from '../extra-packages.ts';
import { requireNodeVersion } from '../node-version.ts';
import { runTool } from '../run-tool.ts';

/** `npm run test:mutation`: runs Stryker with the given options. */
requireNodeVersion();
try {
  await ensurePackages('mutation');
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
const stryker = `${PACKAGE_FOLDERS.mutation}/node_modules/.bin/stryker`;
const { code } = await runTool(stryker, ['run', ...process.argv.slice(2)], { show: true });
process.exit(code);
