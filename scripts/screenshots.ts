import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { launchBrowser } from '../server/test/e2e/browser.ts';
import { startTestApp } from '../server/test/harness/test-app.ts';
import { createTestPerson } from '../server/test/harness/test-person.ts';
import { demandNode } from './node-version.ts';
import { ROOT } from './run-tool.ts';
import { SEED_DAYS, seedStory } from './screenshots/seed-story.ts';
import { seedTeam } from './screenshots/seed-team.ts';
import { seedUsage } from './screenshots/seed-usage.ts';
import { takePictures } from './screenshots/take-pictures.ts';

/**
 * The pictures that README and docs show, taken of the real pages over invented data, so that they
 * stay true: `npm run screenshots`; `-- overview keys` takes some of them, `-- all` every page.
 */
demandNode();
const folder = join(ROOT, 'docs', 'images');
await mkdir(folder, { recursive: true });

const now = Date.now();
const test = await startTestApp({ startAt: now - SEED_DAYS * 86_400_000 });
const browser = await launchBrowser();
try {
  const ada = createTestPerson(test.url);
  const story = await seedStory(test, ada);
  await seedUsage(test, story.keys, now);
  await seedTeam(test);
  await ada.post('/auth/sign-in', story.credentials);
  test.app.sealer.start();
  const place = { url: test.url, accountId: test.accountId, projectId: test.projectId, ...story };
  await takePictures(browser, place, ada.cookies, folder, process.argv.slice(2));
} finally {
  await browser.close();
  await test.app.sealer.stop();
  await test.close();
}
