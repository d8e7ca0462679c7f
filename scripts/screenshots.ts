import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { launchBrowser } from '../server/test/harness/browser.ts';
import { requireNodeVersion } from './node-version.ts';
import { ROOT } from './run-tool.ts';
import { startSeededApp } from './screenshots/seeded-app.ts';
import { takePictures } from './screenshots/take-pictures.ts';

/**
 * Takes the screenshots for README and docs from the real pages with example data:
 * `npm run screenshots`; `-- overview keys` takes some of them, `-- all` every page.
 */
requireNodeVersion();
const folder = process.env.SCREENSHOTS_DIR ?? join(ROOT, 'docs', 'images');
await mkdir(folder, { recursive: true });

const app = await startSeededApp();
const browser = await launchBrowser();
try {
  await takePictures(browser, app.site, app.cookies, folder, process.argv.slice(2));
} finally {
  await browser.close();
  await app.close();
}
