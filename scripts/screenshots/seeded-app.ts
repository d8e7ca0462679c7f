import { startTestApp } from '../../server/test/harness/test-app.ts';
import { createTestPerson } from '../../server/test/harness/test-person.ts';
import { seedPortal } from './seed-portal.ts';
import { SEED_DAYS, seedStory } from './seed-story.ts';
import { seedTeam } from './seed-team.ts';
import { seedUsage } from './seed-usage.ts';
import type { Site } from './take-pictures.ts';

export interface SeededApp {
  readonly site: Site;
  /** Session cookies of a signed-in owner. */
  readonly cookies: ReadonlyMap<string, string>;
  close(): Promise<void>;
}

/** The real server with example data, for screenshots and Lighthouse. */
export async function startSeededApp(): Promise<SeededApp> {
  const now = Date.now();
  const test = await startTestApp({ startAt: now - SEED_DAYS * 86_400_000 });
  const ada = createTestPerson(test.url);
  const story = await seedStory(test, ada);
  await seedUsage(test, story.keys, now);
  await seedTeam(test);
  const portalPath = await seedPortal(test, story.keys);
  await ada.post('/auth/sign-in', story.credentials);
  test.app.sealer.start();
  return {
    site: {
      url: test.url,
      accountId: test.accountId,
      projectId: test.projectId,
      portalPath,
      ...story,
    },
    cookies: ada.cookies,
    async close() {
      await test.app.sealer.stop();
      await test.close();
    },
  };
}
