import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { TakeResult } from '../../../src/cluster/counters/counters.ts';
import { FAILURES_TO_OPEN } from '../../../src/cluster/counters/redis/breaker.ts';
import { RedisCounters } from '../../../src/cluster/counters/redis.ts';
import { createIds } from '../../../src/kernel/ids.ts';
import { TestRedis } from '../../harness/redis/redis.ts';
import { timeoutMs } from '../../harness/scale.ts';
import { TcpProxy } from '../../harness/tcp-proxy.ts';

const NODES = 3;
const LIMIT = 30;
const SHARE = LIMIT / NODES;
const HOUR_MS = 3_600_000;
/** Far longer than any response takes: only a hang exceeds it. */
const RESPONSE_MS_MAX = 240_000;
const makeId = createIds();

let redis: TestRedis;
let proxy: TcpProxy;
let nodes: RedisCounters[];
let reports: string[];

beforeEach(async () => {
  redis = await TestRedis.start();
  proxy = await TcpProxy.to('127.0.0.1', redis.port);
  nodes = [];
  reports = [];
});
afterEach(async () => {
  redis.signal('SIGCONT');
  await Promise.all(nodes.map((node) => node.stop()));
  await proxy.close();
  await redis.dispose();
});

/**
 * `timeoutMs`: how long a check waits for Redis. After 20 times as long without a reply, a node reconnects.
 * The default is long, so that on a slow machine only the faults of a test make a node count alone.
 */
async function startNodes(url: string, timeoutMs = 2_000, count = NODES): Promise<void> {
  nodes = Array.from(
    { length: count },
    (_, n) =>
      new RedisCounters({
        url,
        prefix: 'faults',
        timeoutMs,
        nodes: () => count,
        clock: Date.now,
        onUnavailable: () => reports.push(`${n} unavailable`),
        onRestored: () => reports.push(`${n} restored`),
        onFailover: () => {},
      }),
  );
  await Promise.all(nodes.map((node) => node.start()));
}

/** Sends `times` requests on each node, one after the other. Throws if a check hangs. */
async function takeOnEach(group: string, times: number): Promise<TakeResult[]> {
  const all = nodes.map(async (node) => {
    const taken: TakeResult[] = [];
    for (let n = 0; n < times; n++) taken.push(await node.take(group, LIMIT, HOUR_MS, Date.now()));
    return taken;
  });
  const tooLong = sleep(RESPONSE_MS_MAX, null, { ref: false });
  const responses = await Promise.race([Promise.all(all), tooLong]);
  if (responses === null) throw new Error('A check hangs.');
  return responses.flat();
}

const admitted = (taken: readonly TakeResult[]): number =>
  taken.filter(({ allowed }) => allowed).length;
const untilAll = (what: (node: RedisCounters) => boolean) =>
  expect.poll(() => nodes.every(what)).toBe(true);
const untilLocal = () => untilAll((node) => !node.isShared);
const untilShared = () => untilAll((node) => node.isShared && node.unmerged === 0);
const reportsOf = (n: number): string =>
  reports
    .filter((report) => report.startsWith(`${n} `))
    .map((report) => report.slice(2))
    .join(' ');
const countIn = async (group: string): Promise<number> =>
  Number(await redis.command('HGET', `faults:{${group}}`, 'c'));

it('continues with a share per node when Redis is killed, and adds the counts up when it returns', async () => {
  await startNodes(redis.url);
  const group = makeId('key');
  expect(admitted(await takeOnEach(group, 2))).toBe(6);
  await redis.kill();
  await untilLocal();
  const apart = await takeOnEach(group, 2 * SHARE);
  // Each node admits a third of what was left, rounded down, and may know a slightly old count.
  expect(6 + admitted(apart)).toBeGreaterThanOrEqual(LIMIT - NODES);
  expect(6 + admitted(apart)).toBeLessThanOrEqual(LIMIT + NODES);
  expect(
    apart.every(({ consumed, allowed }) => (allowed ? consumed <= LIMIT : consumed === LIMIT)),
  ).toBe(true);

  // Redis starts empty: all it knows of the window is what the nodes send.
  await redis.launch();
  await untilShared();
  expect(await countIn(group)).toBe(admitted(apart));
  expect(admitted(await takeOnEach(group, SHARE))).toBe(LIMIT - admitted(apart));
  for (let n = 0; n < NODES; n++)
    expect(reportsOf(n)).toMatch(/^restored( unavailable restored)+$/);
});

it('answers while Redis is frozen, and loses no count when it continues', {
  timeout: timeoutMs,
}, async () => {
  await startNodes(redis.url, 500);
  const group = makeId('key');
  const before = admitted(await takeOnEach(group, 1));
  const failuresBefore = nodes.map((node) => node.failures);
  redis.signal('SIGSTOP');
  const during = admitted(await takeOnEach(group, 2 * SHARE));
  expect(before + during).toBeGreaterThanOrEqual(LIMIT - NODES);
  expect(before + during).toBeLessThanOrEqual(LIMIT + NODES);
  await untilLocal();
  // A few checks wait for Redis in vain, then none.
  for (const [n, { failures }] of nodes.entries())
    expect(failures - failuresBefore[n]!).toBeLessThanOrEqual(FAILURES_TO_OPEN);
  const failuresWhenOpen = nodes.map((node) => node.failures);
  await takeOnEach(group, 50);
  // Now that the breaker is open, no check waits for Redis.
  expect(nodes.map((node) => node.failures)).toEqual(failuresWhenOpen);
  redis.signal('SIGCONT');
  await untilShared();
  const counted = await countIn(group);
  expect(counted).toBeGreaterThanOrEqual(before + during);
  // The rest, if no request was counted twice.
  expect(admitted(await takeOnEach(group, 5))).toBe(Math.max(0, LIMIT - counted));
});

it('counts a request once if its reply was only late', async () => {
  await startNodes(proxy.via(redis.url), 1_000);
  const group = makeId('key');
  await takeOnEach(group, 1);
  proxy.freeze();
  // Fewer checks than open the breaker. The proxy thaws before the nodes give up their connections.
  const during = admitted(await takeOnEach(group, 2));
  expect(during).toBe(2 * NODES);
  proxy.thaw();
  await untilShared();
  await expect.poll(() => countIn(group)).toBe(3 * NODES);
  expect(reports).not.toContain('0 unavailable');
});

it('corrects the count in Redis if a node decided otherwise before the reply arrived', async () => {
  await startNodes(proxy.via(redis.url), 1_000);
  const group = makeId('key');
  const limit = NODES - 1;
  proxy.freeze();
  // Each node admits at least one request: together one more than the limit. Redis refuses the last.
  const taken = nodes.map((node) => node.take(group, limit, HOUR_MS, Date.now()));
  expect(admitted(await Promise.all(taken))).toBe(NODES);
  proxy.thaw();
  await untilShared();
  await expect.poll(() => countIn(group)).toBe(NODES);
});

it('admits exactly the limit over several stalls on one node', async () => {
  await startNodes(proxy.via(redis.url), 1_000, 1);
  const group = makeId('key');
  const takeDuringStall = async (times: number) => {
    proxy.freeze();
    const takes = Array.from({ length: times }, () =>
      nodes[0]!.take(group, LIMIT, HOUR_MS, Date.now()),
    );
    const count = admitted(await Promise.all(takes));
    proxy.thaw();
    await untilShared();
    return count;
  };
  expect(await takeDuringStall(4)).toBe(4);
  expect(await takeDuringStall(4)).toBe(4);
  await expect.poll(() => countIn(group)).toBe(8);
  expect(await takeDuringStall(2 * LIMIT)).toBe(LIMIT - 8);
});

it('detects a half-open connection without requests, and reconnects', async () => {
  await startNodes(proxy.via(redis.url), 50);
  proxy.freeze();
  await untilLocal();
  const group = makeId('key');
  expect(admitted(await takeOnEach(group, 2 * SHARE))).toBe(LIMIT);
  proxy.forward();
  await untilShared();
  expect(await countIn(group)).toBe(LIMIT);
});

it('goes on with loaded windows while Redis is unavailable', async () => {
  await redis.kill();
  await startNodes(redis.url);
  const group = makeId('key');
  const now = Date.now();
  nodes[0]!.load([{ counter: group, consumed: 24, resetAt: now + HOUR_MS, sliding: null }], now);
  const taken = await Promise.all(
    Array.from({ length: LIMIT }, () => nodes[0]!.take(group, LIMIT, HOUR_MS, now)),
  );
  expect(admitted(taken)).toBe((LIMIT - 24) / NODES);
  await redis.launch();
  await untilShared();
  expect(await countIn(group)).toBe(24 + (LIMIT - 24) / NODES);
});

it('starts without Redis with a share of each limit, and connects when Redis appears', async () => {
  await redis.kill();
  await startNodes(redis.url);
  expect(reports.toSorted()).toEqual(['0 unavailable', '1 unavailable', '2 unavailable']);
  const group = makeId('key');
  expect(admitted(await takeOnEach(group, 2 * SHARE))).toBe(LIMIT);
  await redis.launch();
  await untilShared();
  expect(await countIn(group)).toBe(LIMIT);
});

it('stays exact when the scripts are flushed', async () => {
  await startNodes(redis.url);
  const group = makeId('key');
  const first = takeOnEach(group, SHARE);
  await redis.command('SCRIPT', 'FLUSH');
  const rest = takeOnEach(group, SHARE);
  await redis.command('SCRIPT', 'FLUSH');
  expect(admitted([...(await first), ...(await rest)])).toBe(LIMIT);
  expect(nodes.map((node) => node.localChecks)).toEqual([0, 0, 0]);
});

it('a lease granted without Redis can be returned when Redis is back, and reduces the count there', async () => {
  await startNodes(redis.url);
  const group = makeId('key');
  await redis.kill();
  await untilLocal();
  const lease = { limit: LIMIT, ttlMs: HOUR_MS, isSliding: false, amount: 8 };
  const request = { id: makeId('lse'), counter: group, ...lease };
  expect(await nodes[0]!.lease(request, Date.now())).toMatchObject({ granted: 8 });
  await redis.launch();
  await untilShared();
  expect(await countIn(group)).toBe(8);
  expect(await nodes[0]!.giveBack(request.id, group, 5, Date.now())).toBe(5);
  await expect.poll(() => countIn(group)).toBe(3);
});

it('a lease whose reply was late can be returned once', async () => {
  await startNodes(redis.url, 1_000, 1);
  const node = nodes[0]!;
  const group = makeId('key');
  const take = () => node.take(group, LIMIT, HOUR_MS, Date.now());
  await take();
  redis.signal('SIGSTOP');
  const lease = { limit: LIMIT, ttlMs: HOUR_MS, isSliding: false, amount: 8 };
  const request = { id: makeId('lse'), counter: group, ...lease };
  expect(await node.lease(request, Date.now())).toMatchObject({ granted: 8 });
  redis.signal('SIGCONT');
  await untilShared();
  // The reply to this request arrives after the reply to the lease.
  expect(await take()).toMatchObject({ consumed: 10 });
  expect(await node.giveBack(request.id, group, 5, Date.now())).toBe(5);
  expect(await node.giveBack(request.id, group, 5, Date.now())).toBe(0);
  await expect.poll(() => countIn(group)).toBe(5);
});

it('takes from several limits all or nothing without Redis, and adds up each counter when it returns', async () => {
  await startNodes(redis.url);
  const group = makeId('key');
  const limit = { ttlMs: HOUR_MS, isSliding: false, isEnforced: true };
  const set = {
    group,
    limits: [
      { ...limit, counter: `${group}:day`, limit: LIMIT },
      { ...limit, counter: `${group}:week`, limit: 2 * LIMIT, isSliding: true },
      { ...limit, counter: `${group}:tried`, limit: NODES, isEnforced: false },
    ],
  };
  const takeAll = (node: RedisCounters) => node.takeAll(set, 2, Date.now());
  await redis.kill();
  await untilLocal();
  const all = await Promise.all(
    nodes.flatMap((node) => Array.from({ length: SHARE }, () => takeAll(node))),
  );
  const count = all.filter(({ refusedBy }) => refusedBy < 0).length;
  expect(2 * count).toBe(LIMIT);
  expect(all.filter(({ refusedBy }) => refusedBy > 0)).toEqual([]);
  await redis.launch();
  await untilShared();
  const counted = (name: string) => redis.command('HGET', `faults:{${group}}:${name}`, 'c');
  expect(await counted('day')).toBe(String(LIMIT));
  expect(await counted('week')).toBe(String(LIMIT));
  // A share of 1 is less than the cost.
  expect(await counted('tried')).toBe(null);
  expect(await redis.command('HGET', `faults:{${group}}:week`, 'w')).toBe(String(HOUR_MS));
  expect((await takeAll(nodes[0]!)).refusedBy).toBe(0);
});

it('corrects several limits by the late reply of a stalled Redis', async () => {
  await startNodes(redis.url, 1_000, 1);
  const group = makeId('key');
  const limit = { limit: LIMIT, ttlMs: HOUR_MS, isEnforced: true };
  const set = {
    group,
    limits: [
      { ...limit, counter: `${group}:day`, isSliding: false },
      { ...limit, counter: `${group}:week`, isSliding: true },
    ],
  };
  await nodes[0]!.takeAll(set, 5, Date.now());
  const { localChecks } = nodes[0]!;
  redis.signal('SIGSTOP');
  const late = await nodes[0]!.takeAll(set, 7, Date.now());
  expect([late.refusedBy, nodes[0]!.localChecks]).toEqual([-1, localChecks + 1]);
  redis.signal('SIGCONT');
  for (const name of ['day', 'week'])
    await expect.poll(() => redis.command('HGET', `faults:{${group}}:${name}`, 'c')).toBe('12');
  await untilShared();
  expect((await nodes[0]!.takeAll(set, 0, Date.now())).states.map((each) => each.consumed)).toEqual(
    [12, 12],
  );
});
