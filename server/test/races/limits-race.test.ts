import { afterAll, beforeAll, expect, it } from 'vitest';
import { figure, scaled, timeoutMs } from '../harness/scale.ts';
import { runSeed, SeededRandom } from '../harness/seeded-random.ts';
import { storeEvents } from '../harness/store-events.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

const ROUNDS = scaled(300, 20);
const LIMIT_MAX = 40;
const FIRST_USES = 200;
/** A change and a flush follow each group of uses. */
const GROUPS = 20;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  await storeEvents(app.client);
});
afterAll(() => app.close());

const statusOf = async (path: string, body?: unknown): Promise<number> =>
  (await app.client.post(path, body)).status;

/** Sends `count` concurrent validations, alternating between the keys; returns how many passed. */
async function admitted(keys: readonly string[], count: number): Promise<number> {
  const calls = Array.from({ length: count }, (_, n) =>
    statusOf(`/api-keys/auth/${keys[n % keys.length]}`),
  );
  const statuses = await Promise.all(calls);
  expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
  return statuses.filter((status) => status === 200).length;
}

/** The same in one batch request. */
async function admittedInBatch(key: string, count: number): Promise<number> {
  const { body } = await app.client.post('/api-keys/auth', { keys: Array(count).fill(key) });
  return body.filter((result: { valid: boolean }) => result.valid).length;
}

it(
  'a limit of N under 4N concurrent calls admits exactly N, in every window',
  async () => {
    const seed = runSeed();
    const random = new SeededRandom(seed);
    let calls = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const limit = 1 + random.below(LIMIT_MAX);
      const rateLimitConfigs = { rateLimit: limit, rateLimitTtl: 60 };
      const made = await app.client.post('/api-keys', { name: 'limited', rateLimitConfigs });
      const keys = [made.body.key as string];
      if (random.chance(0.5)) {
        const path = `/api-keys/${made.body.id}/rotate`;
        keys.push((await app.client.post(path, { graceSeconds: 86_400 })).body.key);
      }
      expect(await admitted(keys, 4 * limit)).toBe(limit);
      expect(await admittedInBatch(keys[0]!, limit)).toBe(0);
      app.clock.now += 59_999;
      expect(await admitted(keys, limit)).toBe(0);
      app.clock.now += 1;
      expect(await admittedInBatch(keys.at(-1)!, 4 * limit)).toBe(limit);
      calls += 10 * limit;
    }
    console.log(
      `limits under race: ${figure(ROUNDS)} rounds (seed ${seed}), ${figure(calls)} calls, exactly N admitted in each`,
    );
  },
  timeoutMs,
);

it(`${FIRST_USES} concurrent first uses record one first use`, async () => {
  const made = (await app.client.post('/api-keys', { name: 'new' })).body;
  const useConcurrently = async () => {
    const path = `/api-keys/auth/${made.key}`;
    const all: Promise<unknown>[] = [];
    for (let group = 0; group < GROUPS; group++) {
      for (let n = 0; n < FIRST_USES / GROUPS; n++)
        all.push(statusOf(path).then((status) => expect(status).toBe(200)));
      // A change removes the key from the cache, and a flush may be in progress when it is read
      // again: the cached key then has no first use yet.
      all.push(app.client.patch(`/api-keys/${made.id}`, { name: `renamed ${group}` }));
      await all[group * (FIRST_USES / GROUPS)];
      all.push(app.app.tally.flush());
    }
    await Promise.all(all);
    await app.app.tally.flush();
  };
  const firstUse = app.clock.now;
  await useConcurrently();
  app.clock.now += 5_000;
  await useConcurrently();

  const record = (await app.client.get(`/api-keys/${made.id}`)).body;
  expect(Date.parse(record.firstUsedAt)).toBe(firstUse);
  expect(Date.parse(record.lastUsedAt)).toBe(firstUse + 5_000);
  const rows = await app.storage.point
    .selectFrom('key_usage')
    .innerJoin('api_keys', 'api_keys.seq', 'key_usage.key_seq')
    .select('first_used_at')
    .where('api_keys.id', '=', made.id)
    .execute();
  expect(rows).toEqual([{ first_used_at: firstUse }]);
  const events = await app.storage.read
    .selectFrom('events')
    .select('data')
    .where('type', '=', 'api-key.firstUsed')
    .execute();
  expect(events.filter(({ data }) => data.includes(made.id))).toHaveLength(1);
  console.log(`first use: ${FIRST_USES} concurrent uses, twice, 1 recorded`);
});
