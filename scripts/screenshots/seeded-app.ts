import { startTestApp } from '../../server/test/harness/test-app.ts';
import { createTestPerson } from '../../server/test/harness/test-person.ts';
import { SEED_DAYS, seedStory } from './seed-story.ts';
import { seedTeam } from './seed-team.ts';
import { seedUsage } from './seed-usage.ts';
import type { Place } from './take-pictures.ts';

export interface SeededApp {
  readonly place: Place;
  /** Of an owner who is signed in. */
  readonly cookies: ReadonlyMap<string, string>;
  close(): Promise<void>;
}

/** The real service over an invented past: what pictures are taken of, and pages are judged by. */
export async function startSeededApp(): Promise<SeededApp> {
  const now = Date.now();
  const test = await startTestApp({ startAt: now - SEED_DAYS * 86_400_000 });
  const ada = createTestPerson(test.url);
  const story = await seedStory(test, ada);
  await seedUsage(test, story.keys, now);
  await seedTeam(test);
  await ada.post('/auth/sign-in', story.credentials);
  test.app.sealer.start();
  return {
    place: { url: test.url, accountId: test.accountId, projectId: test.projectId, ...story },
    cookies: ada.cookies,
    async close() {
      await test.app.sealer.stop();
      await test.close();
    },
  };
}
