import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { RedisCounters } from '../../../src/cluster/counters/redis.ts';
import { createIds } from '../../../src/kernel/ids.ts';
import { countersContract } from '../../contract/counters.contract.ts';
import { TestRedis } from '../../harness/redis/redis.ts';

/** TEST_REDIS_URL selects another Redis; each engine uses its own prefix there. */
const given = process.env.TEST_REDIS_URL;
let own: TestRedis | null = null;
let opened: RedisCounters[] = [];
const makeId = createIds();

beforeAll(async () => {
  if (given === undefined) own = await TestRedis.start();
});
afterEach(async () => {
  await Promise.all(opened.map((counters) => counters.stop()));
  opened = [];
});
afterAll(() => own?.dispose());

async function open(prefix = `test:${randomUUID()}`): Promise<RedisCounters> {
  const counters = new RedisCounters({
    url: given ?? own!.url,
    prefix,
    timeoutMs: 5_000,
    nodes: () => 1,
    clock: Date.now,
    onUnavailable: () => {},
    onRestored: () => {},
    onFailover: () => {},
  });
  await counters.start();
  opened.push(counters);
  expect(counters.isShared).toBe(true);
  return counters;
}

countersContract('redis', () => open());

it('counts the requests of several nodes in one window, and those of another installation separately', async () => {
  const [a, b, other] = [await open('test:one'), await open('test:one'), await open('test:two')];
  const group = makeId('key');
  const now = Date.now();
  expect(await a.take(group, 2, 60_000, now)).toMatchObject({ allowed: true, consumed: 1 });
  expect(await b.take(group, 2, 60_000, now)).toMatchObject({ allowed: true, consumed: 2 });
  expect(await a.take(group, 2, 60_000, now)).toMatchObject({ allowed: false, consumed: 2 });
  expect(await other.take(group, 2, 60_000, now)).toMatchObject({ allowed: true, consumed: 1 });
});

it('ends a used-up lease without an error', async () => {
  const counters = await open();
  const [counter, id] = [makeId('key'), makeId('lse')];
  const now = Date.now();
  const lease = { id, counter, limit: 10, ttlMs: 60_000, isSliding: false, amount: 6 };
  await counters.lease(lease, now);
  expect(await counters.giveBack(id, counter, 0, now)).toBe(0);
  expect(counters.failures).toBe(0);
  expect(await counters.giveBack(id, counter, 6, now)).toBe(0);
  expect(await counters.take(counter, 10, 60_000, now)).toMatchObject({ consumed: 7 });
});

it('ends a lease with its window, although the clock of the node is behind the clock of Redis', async () => {
  const counters = await open();
  const [counter, ttlMs] = [makeId('key'), 60_000];
  const request = { counter, limit: 10, ttlMs, isSliding: false, amount: 1 };
  // A difference too small for `resetAt` to be corrected.
  const now = Date.now() - 800;
  for (let n = 0; n < 2; n++) {
    const { resetAt, endsAt = resetAt } = await counters.lease(
      { ...request, id: makeId('lse') },
      now,
    );
    expect(endsAt - now).toBeLessThanOrEqual(ttlMs);
    expect(endsAt - now).toBeGreaterThan(0);
  }
});

it('continues windows that were counted before Redis was configured', async () => {
  const counters = await open();
  const [group, closed] = [makeId('key'), makeId('key')];
  const now = Date.now();
  const resetAt = now + 60_000;
  counters.load(
    [
      { counter: group, consumed: 3, resetAt, sliding: null },
      { counter: closed, consumed: 3, resetAt: now - 1, sliding: null },
    ],
    now,
  );
  expect(await counters.take(group, 4, 3_600_000, now)).toMatchObject({
    allowed: true,
    consumed: 4,
  });
  const refused = await counters.take(group, 4, 3_600_000, now);
  expect(refused).toMatchObject({ allowed: false, consumed: 4 });
  expect(refused.resetAt).toBeLessThan(now + 120_000);
  expect(await counters.take(closed, 4, 60_000, now)).toMatchObject({ consumed: 1 });
});

it('uses the clock of Redis, not the clocks of the nodes', async () => {
  const [a, b] = [await open('test:time'), await open('test:time')];
  const group = makeId('key');
  const now = Date.now();
  const hour = 3_600_000;
  const first = await a.take(group, 1, hour, now);
  // A node a day ahead uses the same window, and returns its end in its own time.
  const second = await b.take(group, 1, hour, now + 24 * hour);
  expect(second).toMatchObject({ allowed: false, consumed: 1 });
  expect(Math.abs(second.resetAt - first.resetAt - 24 * hour)).toBeLessThan(hour);
});

it('opens a new window when the window has closed', async () => {
  const counters = await open('test:gone');
  const group = makeId('key');
  const before = Date.now();
  const { resetAt } = await counters.take(group, 1, 250, before);
  await expect.poll(() => Date.now() > resetAt).toBe(true);
  const again = await counters.take(group, 1, 250, Date.now());
  expect(again).toMatchObject({ allowed: true, consumed: 1 });
  expect(again.resetAt).toBeGreaterThan(resetAt);
});
