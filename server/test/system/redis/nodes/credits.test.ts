import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestRedis } from '../../../harness/redis/redis.ts';
import { startCluster, type TestCluster } from '../../../harness/test-cluster.ts';

const CREDITS = 1_000;

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startCluster({ limitsPerNode: true });
});
afterAll(() => cluster?.dispose());

/** Sends validations to all nodes in turn, all at once; returns how many were granted. */
async function granted(key: string, calls: number, { inBatchesOf = 1 } = {}): Promise<number> {
  const requests = Array.from({ length: calls / inBatchesOf }, (_, n) => {
    const { client } = cluster.nodes[n % cluster.nodes.length]!;
    return client.post('/api-keys/auth', { keys: Array(inBatchesOf).fill(key) });
  });
  let count = 0;
  for (const { status, body } of await Promise.all(requests)) {
    const codes = status === 200 ? body.map(({ code }: { code: string }) => code) : [body.code];
    for (const code of codes)
      if (code === 'valid') count++;
      else expect(['credits_exhausted', 'overloaded']).toContain(code);
  }
  return count;
}

const makeKey = async (remaining: number): Promise<{ key: string; id: string }> => {
  const body = { name: 'Prepaid', credits: { remaining } };
  return (await cluster.nodes[0]!.client.post('/api-keys', body)).body;
};

it('grants no more credits than there are over three nodes, and all of them to callers that retry', async () => {
  const { key, id } = await makeKey(CREDITS);
  const [singles, batches] = [
    granted(key, 400),
    granted(key, 4 * CREDITS - 400, { inBatchesOf: 50 }),
  ];
  let total = (await singles) + (await batches);
  expect(total).toBeLessThanOrEqual(CREDITS);
  const [atOnce, since] = [total, performance.now()];
  // A node may refuse early while other nodes hold the rest.
  while (total < CREDITS) {
    await sleep(200);
    total += await granted(key, 30);
  }
  expect(total).toBe(CREDITS);
  const seconds = ((performance.now() - since) / 1000).toFixed(1);
  console.log(
    `credits: ${atOnce} of ${CREDITS} granted at once by three nodes, the rest after ${seconds} s of retries`,
  );
  expect(await granted(key, 300)).toBe(0);

  // Every node learns of an addition before it refuses again.
  await cluster.nodes[0]!.client.post(`/api-keys/${id}/credits`, { add: 30 });
  let more = 0;
  while (more < 30) more += await granted(key, 30);
  expect(more).toBe(30);
});

it('returns the credits of a stopped node to the pool at once', async () => {
  const node = await cluster.addNode();
  const { key, id } = await makeKey(50);
  expect((await node.client.post(`/api-keys/auth/${key}`)).status).toBe(200);
  await node.app.credits.stop();
  const { client } = cluster.nodes[0]!;
  expect((await client.get(`/api-keys/${id}`)).body.credits.remaining).toBe(49);
  const blocks = await cluster.administer('select owner from credit_blocks');
  expect(blocks.filter(({ owner }) => owner === id)).toEqual([]);
});

it('takes the limits of a batch of paid requests with one command of Redis', async () => {
  const redis = await TestRedis.start();
  const single = await startCluster({ nodes: 1, redisUrl: redis.url });
  const commands = async () => {
    const stats = String(await redis.command('INFO', 'commandstats'));
    return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)![1]);
  };
  try {
    const { client } = single.nodes[0]!;
    const limits = ['second', 'day', 'month'].map((name) => ({
      name,
      rateLimit: 100,
      rateLimitTtl: 3_600,
    }));
    const keys: string[] = [];
    for (let n = 0; n < 5; n++) {
      const body = { name: 'Paid', limits, credits: { remaining: 50 } };
      keys.push((await client.post('/api-keys', body)).body.key);
    }
    const validate = () =>
      client.post('/api-keys/auth', { keys: keys.flatMap((key) => [key, key]) });
    // The first request draws blocks of credits. On a slow machine, later requests may have to draw again.
    let needed = Number.POSITIVE_INFINITY;
    for (let n = 0; n < 20 && needed > 1; n++) {
      const before = await commands();
      const { body } = await validate();
      expect(body.every(({ valid }: { valid: boolean }) => valid)).toBe(true);
      needed = (await commands()) - before;
    }
    expect(needed).toBe(1);
  } finally {
    await single.dispose();
    await redis.dispose();
  }
});
