import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { TestRedis } from '../../../harness/redis/redis.ts';
import { startCluster, type TestCluster } from '../../../harness/test-cluster.ts';

let redis: TestRedis;
let cluster: TestCluster;
beforeAll(async () => {
  redis = await TestRedis.start();
  cluster = await startCluster({ redisUrl: redis.url });
  await subscribe(cluster);
});
afterAll(async () => {
  await cluster?.dispose();
  await redis?.dispose();
});

const LIMIT = { rateLimit: 30, rateLimitTtl: 3_600 };

async function subscribe({ nodes }: TestCluster): Promise<void> {
  const response = await nodes[0]!.client.post('/webhooks', {
    name: 'Notices',
    url: 'https://example.com/hook',
    projectId: null,
    topics: ['limit.threshold', 'credits.low', 'credits.exhausted'],
  });
  expect(response.status).toBe(201);
}

const newKey = async (fields: object, { nodes } = cluster): Promise<{ id: string; key: string }> =>
  (await nodes[0]!.client.post('/api-keys', { name: 'Key', ...fields })).body;

/** Validates on all nodes in turn, then makes them write their notices. */
async function validate(key: string, times: number): Promise<void> {
  for (let n = 0; n < times; n++)
    await cluster.nodes[n % cluster.nodes.length]!.client.post('/api-keys/auth', { key });
  await Promise.all(cluster.nodes.map(({ app }) => app.tally.flush()));
}

async function noticesOf(id: string, { nodes } = cluster): Promise<string[]> {
  const rows = await nodes[0]!.storage.read
    .selectFrom('events')
    .select(['type', 'data'])
    .where('type', 'in', ['limit.threshold', 'credits.low', 'credits.exhausted'])
    .execute();
  return rows
    .map(({ type, data }) => ({ type, ...JSON.parse(data) }))
    .filter((notice) => notice.id === id)
    .map(({ type, share }) => (share === undefined ? type : `${type} ${share}`))
    .sort();
}

it('announces a threshold of a limit in Redis once, although all nodes reach it', async () => {
  const { id, key } = await newKey({ rateLimitConfigs: LIMIT });
  await validate(key, 60);
  expect(await noticesOf(id)).toEqual(['limit.threshold 0.8', 'limit.threshold 1']);
});

it('announces a threshold of a limit without Redis when one node has used that part of its share', async () => {
  const divided = await startCluster({ limitsPerNode: true });
  onTestFinished(() => divided.dispose());
  await subscribe(divided);
  const { id, key } = await newKey({ rateLimitConfigs: LIMIT }, divided);
  const [node] = divided.nodes;
  await expect.poll(() => node!.app.cluster.readings.bus?.nodes).toBe(3);
  for (const notices of [[], ['limit.threshold 0.8']]) {
    for (let n = 0; n < 4; n++) await node!.client.post('/api-keys/auth', { key });
    await node!.app.tally.flush();
    expect(await noticesOf(id, divided)).toEqual(notices);
  }
});

it('announces low and exhausted credits once, although the nodes share the pool', async () => {
  const { id, key } = await newKey({ credits: { remaining: 60 } });
  // A node may refuse while other nodes hold credits, and what it knows of their credits may be some seconds
  // old.
  await expect
    .poll(async () => {
      await validate(key, 15);
      return noticesOf(id);
    })
    .toContain('credits.exhausted');
  const notices = await noticesOf(id);
  expect(notices).toEqual([...new Set(notices)]);
});
