import { setTimeout as sleep } from 'node:timers/promises';
import { LocalKeyward } from 'keyward/local';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestRedis } from '../../../harness/redis/redis.ts';
import { scaled, timeoutMs } from '../../../harness/scale.ts';
import { startCluster, type TestCluster } from '../../../harness/test-cluster.ts';

const CLIENTS = scaled(8, 4);
const LIMIT = 1_000;
/** Enough for every client to return what it does not use. */
const REFUSALS_AT_END = 100;

let redis: TestRedis;
let cluster: TestCluster;
beforeAll(async () => {
  redis = await TestRedis.start();
  cluster = await startCluster({ redisUrl: redis.url });
});
afterAll(async () => {
  await cluster.dispose();
  await redis.dispose();
});

/**
 * A client behind a load balancer: each call goes to the next node. After `kill`, no call arrives any more.
 */
async function open(first = 0) {
  const { nodes, accessKey } = cluster;
  let next = first;
  let isKilled = false;
  const balanced: typeof fetch = (input, init) => {
    if (isKilled) return Promise.reject(new Error('killed'));
    return fetch(String(input).replace(nodes[0]!.url, nodes[next++ % nodes.length]!.url), init);
  };
  const local = new LocalKeyward({
    url: nodes[0]!.url,
    accessKey,
    fetch: balanced,
    onUnavailable: 'deny',
    reportEveryMs: 200,
    timeoutMs: 240_000,
    log: () => {},
  });
  await local.ready;
  const kill = () => {
    isKilled = true;
  };
  return { local, kill };
}

const createKey = async (body: object): Promise<{ key: string; id: string }> => {
  const { nodes, projectId } = cluster;
  return (await nodes[0]!.client.post('/api-keys', { name: 'Key', projectId, ...body })).body;
};

/** Validates until 100 requests in a row were refused; returns how many were admitted. */
async function useUp(local: LocalKeyward, key: string): Promise<number> {
  let admitted = 0;
  for (let refused = 0; refused < REFUSALS_AT_END; )
    if ((await local.validate(key)).allowed) {
      admitted++;
      refused = 0;
    } else {
      refused++;
      await sleep(10);
    }
  return admitted;
}

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

it(`${CLIENTS} clients admit at most ${LIMIT} requests under several limits, and hardly fewer`, {
  timeout: timeoutMs,
}, async () => {
  const limit = (name: string, rateLimit: number, others = {}) => ({
    ...{ name, rateLimit, rateLimitTtl: 3_600, ...others },
  });
  const { key } = await createKey({
    customAccountId: 'shared',
    limits: [
      limit('all', LIMIT, { per: 'customer' }),
      limit('sliding', LIMIT + 500, { algorithm: 'sliding' }),
    ],
  });
  const clients = await Promise.all(Array.from({ length: CLIENTS }, (_, n) => open(n)));
  const admitted = sumOf(await Promise.all(clients.map(({ local }) => useUp(local, key))));
  expect(admitted).toBeLessThanOrEqual(LIMIT);
  expect(admitted).toBeGreaterThanOrEqual(0.95 * LIMIT);
  for (const { local } of clients) await local.close();
  const { body } = await cluster.nodes[1]!.client.post('/api-keys/auth', { key, cost: 0 });
  const left = body.rateLimits.map((each: { remaining: number }) => each.remaining);
  expect(left).toEqual([LIMIT - admitted, LIMIT + 500 - admitted]);
});

it('never grants more credits than there were, even if clients are killed', {
  timeout: timeoutMs,
}, async () => {
  const { key } = await createKey({ credits: { remaining: LIMIT } });
  const clients = await Promise.all(Array.from({ length: CLIENTS }, (_, n) => open(n)));
  const admitted = await Promise.all(
    clients.map(async ({ local, kill }, n) => {
      if (n % 2 === 0) return useUp(local, key);
      let count = 0;
      for (let use = 0; use < 60; use++) if ((await local.validate(key)).allowed) count++;
      kill();
      for (let use = 0; use < 60; use++) if ((await local.validate(key)).allowed) count++;
      return count;
    }),
  );
  const total = sumOf(admitted);
  expect(total).toBeLessThanOrEqual(LIMIT);
  for (const { local } of clients) await local.close();
  // The credits that the closed clients returned can be used.
  const last = await open();
  const rest = await useUp(last.local, key);
  expect(total + rest).toBeLessThanOrEqual(LIMIT);
  await last.local.close();
});
