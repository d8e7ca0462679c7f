import { hash, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { Redis } from 'iovalkey';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TakeResult } from '../../../src/cluster/counters/counters.ts';
import { sendTo } from '../../../src/cluster/counters/redis/link.ts';
import {
  type Grant,
  RedisWindows,
  type Send,
} from '../../../src/cluster/counters/redis/windows.ts';
import { RedisCounters } from '../../../src/cluster/counters/redis.ts';
import { createIds } from '../../../src/kernel/ids.ts';
import { TestRedis } from '../../harness/redis/redis.ts';
import { TcpProxy } from '../../harness/tcp-proxy.ts';

const HOUR_MS = 3_600_000;
const makeId = createIds();
const undo: (() => unknown)[] = [];
let redis: TestRedis;

beforeAll(async () => {
  redis = await TestRedis.start();
});
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});
afterAll(() => redis.dispose());

async function open(url: string, prefix = `test:${randomUUID()}`): Promise<RedisCounters> {
  const counters = new RedisCounters({
    url,
    prefix,
    timeoutMs: 5_000,
    nodes: () => 1,
    clock: Date.now,
    onUnavailable: () => {},
    onRestored: () => {},
    onFailover: () => {},
  });
  await counters.start();
  undo.push(() => counters.stop());
  expect(counters.isShared).toBe(true);
  return counters;
}

async function connectTo(target: TestRedis): Promise<Send> {
  const client = new Redis(target.url, { lazyConnect: true });
  await client.connect();
  undo.push(() => client.disconnect());
  return sendTo(client);
}

/** How often a command was called since the server started. */
async function callsOf(target: TestRedis, command: string): Promise<number> {
  const info = String(await target.command('INFO', 'commandstats'));
  return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(info)?.[1] ?? 0);
}

const takeEach = (counters: RedisCounters, groups: readonly string[], limit: number) =>
  Promise.all(groups.map(async (group) => counters.take(group, limit, HOUR_MS, Date.now())));
const seen = (all: readonly TakeResult[]) =>
  all.map(({ allowed, consumed }) => [allowed, consumed]);
const times = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);

it('counts several checks of one key in one turn in order, with one command', async () => {
  const counters = await open(redis.url);
  const [group, other] = [makeId('key'), makeId('key')];
  const before = await callsOf(redis, 'evalsha');
  const all = await takeEach(counters, [group, group, other, group, group, other], 3);
  expect(seen(all)).toEqual([
    ...[
      [true, 1],
      [true, 2],
      [true, 1],
    ],
    ...[
      [true, 3],
      [false, 3],
      [true, 2],
    ],
  ]);
  expect((await callsOf(redis, 'evalsha')) - before).toBe(1);
  expect(new Set(all.map(({ resetAt }) => resetAt)).size).toBe(1);
});

it('takes several sets of limits of one turn with one command, in order, each all or nothing', async () => {
  const counters = await open(redis.url, 'test:sets');
  const limit = { ttlMs: HOUR_MS, isSliding: false, isEnforced: true };
  const setOf = (group: string) => ({
    group,
    limits: [
      { ...limit, counter: group, limit: 10 },
      { ...limit, counter: `${group}:day`, limit: 5, isSliding: true },
    ],
  });
  const [a, b] = [setOf(makeId('key')), setOf(makeId('key'))];
  const before = await callsOf(redis, 'evalsha');
  const now = Date.now();
  const all = await Promise.all(
    [a, b, a, b].map(async (set, n) => counters.takeAll(set, n + 2, now)),
  );
  expect((await callsOf(redis, 'evalsha')) - before).toBe(1);
  expect(
    all.map(({ refusedBy, states }) => [refusedBy, ...states.map(({ consumed }) => consumed)]),
  ).toEqual([
    [-1, 2, 2],
    [-1, 3, 3],
    [1, 2, 2],
    [1, 3, 3],
  ]);
});

it('counts a set with an unreadable window locally, and the others in Redis', async () => {
  const counters = await open(redis.url, 'test:broken-set');
  const limit = { limit: 5, ttlMs: HOUR_MS, isSliding: false, isEnforced: true };
  const [good, bad] = [makeId('key'), makeId('key')].map((group) => ({
    group,
    limits: [
      { ...limit, counter: `${group}:a` },
      { ...limit, counter: `${group}:b` },
    ],
  }));
  await redis.command('SET', `test:broken-set:{${bad!.group}}:b`, 'not a window');
  const now = Date.now();
  const all = await Promise.all([bad!, good!].map(async (set) => counters.takeAll(set, 3, now)));
  expect(all.map(({ refusedBy }) => refusedBy)).toEqual([-1, -1]);
  expect([counters.failures, counters.localChecks]).toEqual([1, 1]);
  expect(await redis.command('HGET', `test:broken-set:{${good!.group}}:a`, 'c')).toBe('3');
  // The script counted nothing in window a of the bad set. The local count, which is sent afterwards, adds it.
  await expect
    .poll(() => redis.command('HGET', `test:broken-set:{${bad!.group}}:a`, 'c'))
    .toBe('3');
});

it('splits a batch that is too large for one command, and loses no check', async () => {
  const counters = await open(redis.url);
  const group = makeId('key');
  const before = await callsOf(redis, 'evalsha');
  const all = await takeEach(counters, times(200, group), 150);
  expect(all.map(({ consumed }) => consumed)).toEqual(
    Array.from({ length: 200 }, (_, n) => Math.min(n + 1, 150)),
  );
  const commands = (await callsOf(redis, 'evalsha')) - before;
  expect(commands).toBeGreaterThan(1);
  expect(commands).toBeLessThan(20);
});

it('keeps the order of checks, leases and returned leases in one turn', async () => {
  const counters = await open(redis.url);
  const group = makeId('key');
  const id = makeId('lse');
  const now = Date.now();
  const [first, leased, second, back, third] = await Promise.all([
    counters.take(group, 10, HOUR_MS, now),
    counters.lease(
      { id, counter: group, limit: 10, ttlMs: HOUR_MS, isSliding: false, amount: 5 },
      now,
    ),
    counters.take(group, 10, HOUR_MS, now),
    counters.giveBack(id, group, 4, now),
    counters.take(group, 10, HOUR_MS, now),
  ]);
  expect(first.consumed).toBe(1);
  expect(leased).toMatchObject({ granted: 5, consumed: 6 });
  expect(second.consumed).toBe(7);
  expect(back).toBe(4);
  expect(third.consumed).toBe(4);
});

it('counts failed checks of a batch locally, and the others in Redis', async () => {
  const counters = await open(redis.url, 'test:mixed');
  const [good, bad, late] = [makeId('key'), makeId('key'), makeId('key')];
  await redis.command('SET', `test:mixed:{${bad}}`, 'not a window');
  const all = await takeEach(counters, [good, bad, late, bad, good], 1);
  expect(seen(all)).toEqual([
    ...[
      [true, 1],
      [true, 1],
      [true, 1],
    ],
    ...[
      [false, 1],
      [false, 1],
    ],
  ]);
  expect([counters.failures, counters.localChecks, counters.isShared]).toEqual([2, 2, true]);
  expect(await redis.command('HGET', `test:mixed:{${good}}`, 'c')).toBe('1');
  expect(await redis.command('HGET', `test:mixed:{${late}}`, 'c')).toBe('1');
  // The local count is sent as soon as the window can be used.
  await redis.command('DEL', `test:mixed:{${bad}}`);
  await expect.poll(() => redis.command('HGET', `test:mixed:{${bad}}`, 'c')).toBe('1');
});

it('decides a batch whose replies were lost with the connection, and counts it', async () => {
  const proxy = await TcpProxy.to('127.0.0.1', redis.port);
  undo.push(() => proxy.close());
  const counters = await open(proxy.via(redis.url), 'test:cut');
  const groups = [makeId('key'), makeId('key')];
  const asked = [...groups, ...groups, ...groups];
  redis.signal('SIGSTOP');
  try {
    const responses = takeEach(counters, asked, 2);
    // The batch is sent, but Redis reads it only after the checks are decided.
    await new Promise((resolve) => setTimeout(resolve, 300));
    proxy.cutOnce();
    const all = await responses;
    expect(all.filter(({ allowed }) => allowed)).toHaveLength(2 * groups.length);
    expect(all.every(({ consumed }) => consumed <= 2)).toBe(true);
    expect(counters.failures).toBe(asked.length);
  } finally {
    redis.signal('SIGCONT');
  }
  await expect.poll(() => counters.isShared && counters.unmerged === 0).toBe(true);
  const after = await takeEach(counters, groups, 2);
  expect(after.every(({ allowed }) => !allowed)).toBe(true);
});

it('decides collected checks when the counters are stopped before the turn ends', async () => {
  const counters = await open(redis.url);
  const asked = takeEach(counters, times(3, makeId('key')), 2);
  await counters.stop();
  expect(seen(await asked)).toEqual([
    [true, 1],
    [true, 2],
    [false, 2],
  ]);
});

it('decides further checks by itself while too many wait', async () => {
  const counters = await open(redis.url);
  redis.signal('SIGSTOP');
  try {
    const results = times(10_001, makeId('key')).map((group) =>
      counters.take(group, 20_000, HOUR_MS, Date.now()),
    );
    expect(results.filter((result) => !(result instanceof Promise))).toHaveLength(1);
    expect(counters.localChecks).toBe(1);
    redis.signal('SIGCONT');
    expect((await Promise.all(results)).every(({ allowed }) => allowed)).toBe(true);
  } finally {
    redis.signal('SIGCONT');
  }
});

describe('a proxy that shards by the first key', () => {
  it('gets each check in a command of its own', async () => {
    const second = await TestRedis.start();
    undo.push(() => second.dispose());
    const servers = [await connectTo(redis), await connectTo(second)] as const;
    const sharding: Send = async (args) => {
      if (args[0] === 'SCRIPT') return (await Promise.all(servers.map((send) => send(args))))[0];
      const key = args[0] === 'DEL' ? args[1]! : args[3]!;
      return servers[hash('sha1', key, 'buffer')[0]! % 2]!(args);
    };
    const windows = new RedisWindows(sharding, `test:${randomUUID()}`);
    await windows.prepare(sharding);
    const groups = times(20, '').map(() => makeId('key'));
    const checks = groups.map((counter) => ({ counter, limit: 5, ttlMs: HOUR_MS }));
    const reversed = checks.toReversed();
    await windows.grantEach(checks);
    // In one command, the first key would choose the server for all keys. So now another key is first.
    const again = await windows.grantEach(reversed);
    expect(again.map((grant) => (grant as Grant)[1])).toEqual(times(20, 2));
  });
});

describe('batched and single checks', () => {
  const groups = ['a', 'b', 'c', 'd'];
  const check = fc.record({
    counter: fc.constantFrom(...groups),
    limit: fc.integer({ min: 1, max: 6 }),
    ttlMs: fc.constantFrom(HOUR_MS, 2 * HOUR_MS),
  });
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.array(check, { minLength: 2, maxLength: 12 }) },
    fc.record({ merge: fc.constantFrom(...groups), amount: fc.integer({ min: -3, max: 3 }) }),
    fc.record({ lease: check, amount: fc.integer({ min: 1, max: 4 }) }),
  );

  /** Without the times, which only identify the window. */
  const plain = (grants: readonly (Grant | Error)[]) =>
    grants.map((grant) => (grant instanceof Error ? grant.message : grant.slice(0, 2)));

  it('grant and count the same, for any order of operations', async () => {
    const send = await connectTo(redis);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const run = randomUUID();
        const together = new RedisWindows(send, `test:${run}:together`);
        await together.prepare(send);
        // Without `prepare` it does not know that there is one server, and sends single commands.
        const oneByOne = new RedisWindows(send, `test:${run}:single`);
        for (const [n, each] of steps.entries()) {
          const [here, there] = await Promise.all(
            [together, oneByOne].map(async (windows) => {
              if (Array.isArray(each)) return plain(await windows.grantEach(each));
              if ('merge' in each)
                return plain([await windows.merge(each.merge, each.amount, HOUR_MS, 0)]);
              return plain([
                await windows.lease(
                  {
                    ...each.lease,
                    ...{ id: `lse_${n}`, amount: each.amount, isSliding: false },
                  },
                  Date.now(),
                ),
              ]);
            }),
          );
          expect(here).toEqual(there);
        }
        const [ours, theirs] = await Promise.all(
          ['together', 'single'].map((side) =>
            Promise.all(
              groups.map((group) => send(['HGET', `test:${run}:${side}:{${group}}`, 'c'])),
            ),
          ),
        );
        expect(ours).toEqual(theirs);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a count reported by the previous master', () => {
  const fixed = (counter: string) => ({ counter, limit: 100, ttlMs: HOUR_MS });
  const raised = async (raise: (windows: RedisWindows, counter: string) => Promise<Grant>) => {
    const windows = new RedisWindows(await connectTo(redis), `test:${randomUUID()}`);
    const counter = makeId('key');
    for (let n = 0; n < 5; n++) await windows.grantEach([fixed(counter)]);
    const [, replied] = await raise(windows, counter);
    const [grant] = await windows.grantEach([fixed(counter)]);
    expect((grant as Grant)[1]).toBe(replied + 1);
    return replied;
  };

  it('raises a lower count of the new master, and does not change a higher one', async () => {
    expect(await raised((windows, counter) => windows.raise(counter, 30, HOUR_MS))).toBe(30);
    expect(await raised((windows, counter) => windows.raise(counter, 3, HOUR_MS))).toBe(5);
  });

  it('is ignored for a window with another end', async () => {
    expect(await raised((windows, counter) => windows.raise(counter, 30, 60_000))).toBe(5);
  });

  it('opens a window missing on the new master', async () => {
    const windows = new RedisWindows(await connectTo(redis), `test:${randomUUID()}`);
    const counter = makeId('key');
    await windows.raise(counter, 30, 60_000);
    const [grant] = await windows.grantEach([fixed(counter)]);
    const [granted, consumed, closesAt, now] = grant as Grant;
    expect([granted, consumed]).toEqual([1, 31]);
    expect(closesAt - now).toBeLessThanOrEqual(60_000);
  });

  it('raises a sliding window too', async () => {
    const windows = new RedisWindows(await connectTo(redis), `test:${randomUUID()}`);
    const counter = makeId('key');
    const limit = { ...fixed(counter), isSliding: true, isEnforced: true };
    const check = { set: { group: counter, limits: [limit] }, costs: 10, isDry: false };
    await windows.takeEach([check], Date.now());
    await windows.raise(counter, 25, HOUR_MS);
    const [grant] = await windows.takeEach([check], Date.now());
    if (grant === undefined || grant instanceof Error) throw grant;
    expect(grant.windows[0]).toMatchObject({ isExceeded: false, consumed: 35 });
  });
});
