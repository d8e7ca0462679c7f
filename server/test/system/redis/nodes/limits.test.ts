import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestRedis } from '../../../harness/redis/redis.ts';
import { figure, scaled, timeoutMs } from '../../../harness/scale.ts';
import { runSeed, SeededRandom } from '../../../harness/seeded-random.ts';
import { type ClusterNode, startCluster, type TestCluster } from '../../../harness/test-cluster.ts';

const ROUNDS = scaled(200, 12);
const LIMIT_MAX = 30;
const PASSWORD = 'a-password-of-redis';

const limited = (limit: number, ttlSeconds = 3_600) => ({
  name: 'limited',
  rateLimitConfigs: { rateLimit: limit, rateLimitTtl: ttlSeconds },
});

/** Sends concurrent validations round-robin to all nodes; returns how many each node admitted. */
async function admittedBy(cluster: TestCluster, key: string, calls: number): Promise<number[]> {
  const admitted = cluster.nodes.map(() => 0);
  const all = Array.from({ length: calls }, async (_, n) => {
    const index = n % cluster.nodes.length;
    const { status, headers } = await cluster.nodes[index]!.client.post(`/api-keys/auth/${key}`);
    expect([200, 429]).toContain(status);
    if (status === 200) admitted[index]!++;
    else expect(headers.get('ratelimit-remaining')).toBe('0');
  });
  await Promise.all(all);
  return admitted;
}

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

describe('with Redis', () => {
  let redis: TestRedis;
  let cluster: TestCluster;
  beforeAll(async () => {
    redis = await TestRedis.start();
    await redis.command('ACL', 'SETUSER', 'counter', 'on', `>${PASSWORD}`, '~*', '+@all');
    const redisUrl = redis.url.replace('://', `://counter:${PASSWORD}@`);
    cluster = await startCluster({ redisUrl });
  });
  it('shows the state of Redis, without its password', async () => {
    const { body, text } = await cluster.nodes[0]!.client.get('/engines');
    expect(body.rateLimits).toEqual({
      counted: 'shared',
      redis: {
        mode: 'server',
        addresses: [`127.0.0.1:${redis.port}`],
        isConnected: true,
        since: expect.any(String),
        reconnects: 0,
        failovers: 0,
      },
    });
    expect(text).not.toContain(PASSWORD);
    const metrics = await cluster.nodes[0]!.app.metrics.registry.metrics();
    expect(metrics).toMatch(/^keyward_rate_limits_shared 1$/m);
    expect(metrics).toMatch(/^keyward_rate_limits_checked_locally_total \d+$/m);
    expect(metrics).toMatch(/^keyward_redis_reconnects_total 0$/m);
  });

  afterAll(async () => {
    await cluster.dispose();
    await redis.dispose();
  });

  it('a limit of N under 4N concurrent calls over three nodes admits exactly N', {
    timeout: timeoutMs,
  }, async () => {
    const seed = runSeed();
    const random = new SeededRandom(seed);
    let calls = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const limit = 1 + random.below(LIMIT_MAX);
      const node = cluster.nodes[round % cluster.nodes.length]!;
      const { body } = await node.client.post('/api-keys', limited(limit));
      const admitted = await admittedBy(cluster, body.key, 4 * limit);
      expect(sumOf(admitted), `seed ${seed}, round ${round}`).toBe(limit);
      calls += 4 * limit;
    }
    expect(cluster.nodes.map(({ app }) => app.cluster.readings.redis?.localChecks)).toEqual([
      0, 0, 0,
    ]);
    console.log(
      `limits: ${ROUNDS} rounds, ${figure(calls)} calls over 3 nodes, none above the limit`,
    );
  });

  it('reports the same window on every node', async () => {
    const [a, b, c] = cluster.nodes;
    const { body } = await a!.client.post('/api-keys', limited(5));
    const first = await a!.client.post(`/api-keys/auth/${body.key}`);
    const second = await b!.client.post(`/api-keys/auth/${body.key}`);
    const third = await c!.client.post('/api-keys/auth', { keys: [body.key, body.key] });
    expect(first.headers.get('ratelimit-consumed')).toBe('1');
    expect(second.headers.get('ratelimit-consumed')).toBe('2');
    expect(second.headers.get('ratelimit-remaining')).toBe('3');
    expect(second.headers.get('ratelimit-reset')).toBe(first.headers.get('ratelimit-reset'));
    const batch = third.body.map(
      (one: { rateLimit: { consumed: number } }) => one.rateLimit.consumed,
    );
    expect(batch).toEqual([3, 4]);
  });

  it('takes nothing from a limit if a permission or address is refused', async () => {
    const [a, b] = cluster.nodes;
    const policies = { permissions: ['a'], allowedIPs: ['10.0.0.1'] };
    const { body } = await a!.client.post('/api-keys', { ...limited(2), ...policies });
    const ask = async (node: typeof a, permissions: string, clientIP: string) =>
      (await node!.client.post('/api-keys/auth', { key: body.key, permissions, clientIP })).status;
    const refused = [
      ...[ask(a, 'b', '10.0.0.1'), ask(b, 'b', '10.0.0.1'), ask(a, 'a', '10.0.0.2')],
      ask(b, 'a', '10.0.0.2'),
    ];
    expect(await Promise.all(refused)).toEqual([403, 403, 403, 403]);
    const admitted = [a, b, a].map((node) => ask(node, 'a', '10.0.0.1'));
    expect((await Promise.all(admitted)).toSorted()).toEqual([200, 200, 429]);
  });

  it('counts both keys of a rotation in one window, on any node', async () => {
    const [a, b] = cluster.nodes;
    const { body } = await a!.client.post('/api-keys', limited(4));
    const rotated = await b!.client.post(`/api-keys/${body.id}/rotate`, { graceSeconds: 3_600 });
    await expect
      .poll(async () => (await a!.client.post(`/api-keys/auth/${body.key}`)).status)
      .toBe(200);
    const admitted = sumOf([
      ...(await admittedBy(cluster, rotated.body.key, 6)),
      ...(await admittedBy(cluster, body.key, 6)),
    ]);
    expect(admitted).toBe(3);
  });

  it('counts management requests of one access key on all nodes together', async () => {
    const [a] = cluster.nodes;
    const { body } = await a!.client.post('/access-keys', {
      name: 'few calls',
      rateLimitConfigs: { rateLimit: 10, rateLimitTtl: 3_600 },
    });
    const calls = Array.from({ length: 30 }, async (_, n) => {
      const { client } = cluster.nodes[n % 3]!;
      return (await client.as(body.key).get('/projects')).status;
    });
    const statuses = await Promise.all(calls);
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20);
  });

  it('uses its own key names, each with one hash tag and an expiry', async () => {
    const names = (await redis.command('KEYS', '*')) as string[];
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) expect(name).toMatch(/^keyward:[\w-]{16}:\{(key|ak)_\w{26}\}$/);
    expect(new Set(names.map((name) => name.split(':')[1])).size).toBe(1);
    expect(await redis.command('PTTL', names[0]!)).toBeGreaterThan(0);
  });

  it('does not use Redis for keys without a limit', async () => {
    const [a] = cluster.nodes;
    const { body } = await a!.client.post('/api-keys', { name: 'unlimited' });
    await a!.client.post(`/api-keys/auth/${body.key}`);
    expect(await redis.command('EXISTS', `${body.id}`)).toBe(0);
    const names = (await redis.command('KEYS', `*${body.id}*`)) as string[];
    expect(names).toEqual([]);
  });
});

describe('without Redis', () => {
  it('nodes count a share of each limit if configured', async () => {
    const cluster = await startCluster({ limitsPerNode: true });
    try {
      await expect
        .poll(() => cluster.nodes.map(({ app }) => app.cluster.readings.bus?.nodes))
        .toEqual([3, 3, 3]);
      const [{ client, app, storage }] = cluster.nodes as [ClusterNode];
      const { body } = await client.post('/api-keys', limited(30));
      expect(await admittedBy(cluster, body.key, 60)).toEqual([10, 10, 10]);

      const hook = { name: 'Notices', url: 'https://example.com/hook', projectId: null };
      await client.post('/webhooks', { ...hook, topics: ['limit.threshold'] });
      const { body: other } = await client.post('/api-keys', limited(30));
      const explained = async () =>
        (await client.post(`/api-keys/${other.id}/explain`, {})).body.limits;
      const noticesAfter = async (cost: number) => {
        const { status } = await client.post('/api-keys/auth', { key: other.key, cost });
        expect(status).toBe(200);
        await app.tally.flush();
        const events = storage.read.selectFrom('events').select('data');
        const rows = await events.where('type', '=', 'limit.threshold').execute();
        return rows.map(({ data }) => JSON.parse(data)).filter(({ id }) => id === other.id);
      };
      // The shares reserved for the other nodes do not count as use of the key: no window is open yet.
      expect(await explained()).toMatchObject([{ remaining: 10, resetAt: null }]);
      expect(await noticesAfter(2)).toEqual([]);
      expect(await explained()).toMatchObject([{ remaining: 8, resetAt: expect.any(String) }]);
      expect(await noticesAfter(6)).toMatchObject([{ share: 0.8, limit: 30, consumed: 24 }]);
    } finally {
      await cluster.dispose();
    }
  });

  it('a second node starts only if configured, and the error says what to do', async () => {
    const cluster = await startCluster({ nodes: 1 });
    try {
      await expect(cluster.addNode()).rejects.toThrow(
        /^Another node .*KEYWARD_REDIS_URL.*KEYWARD_RATE_LIMITS=per-node/,
      );
      const { body } = await cluster.nodes[0]!.client.post('/api-keys', limited(7));
      expect(await admittedBy(cluster, body.key, 20)).toEqual([7]);
    } finally {
      await cluster.dispose();
    }
  });
});
