import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { BOOTSTRAP_KEY, ChildServer } from '../../../harness/child-server.ts';
import { type FreshPostgres, freshPostgres } from '../../../harness/postgres/postgres.ts';
import { TestRedis } from '../../../harness/redis/redis.ts';
import { timeoutMs } from '../../../harness/scale.ts';
import { createTestClient, type TestClient } from '../../../harness/test-client.ts';

const SECRET = 'a root secret that every node of the cluster has';
const SOON = { interval: 50 };

const parent = mkdtempSync(join(tmpdir(), 'keyward-processes-'));
let database: FreshPostgres;
let redis: TestRedis;
let servers: ChildServer[] = [];

beforeAll(async () => {
  redis = await TestRedis.start();
});
afterAll(async () => {
  await redis.dispose();
  rmSync(parent, { recursive: true, force: true });
});
beforeEach(async () => {
  database = await freshPostgres();
  servers = [];
});
afterEach(async () => {
  for (const server of servers) await server.end('SIGKILL');
  await database.dispose();
});

function launch(env: Readonly<Record<string, string>>): ChildServer {
  const server = new ChildServer({
    dataDir: join(parent, `data-${servers.length}`),
    env: {
      KEYWARD_DATABASE_URL: database.url,
      KEYWARD_SECRET: SECRET,
      KEYWARD_BOOTSTRAP_ACCESS_KEY: BOOTSTRAP_KEY,
      ...env,
    },
  });
  servers.push(server);
  return server;
}

/** Launches a node that must not start beside `first`. */
async function launchRefused(first: ChildServer): Promise<ChildServer> {
  for (;;) {
    const node = launch({});
    const isReady = await node.ready().then(
      () => true,
      () => false,
    );
    // On a busy machine the first node may reconnect to the bus, and is not counted meanwhile. Then the
    // launch is repeated.
    if (!isReady || !first.output.includes('change bus disconnected')) return node;
    await node.end('SIGKILL');
  }
}

const clientOf = ({ url }: ChildServer) => createTestClient(url, BOOTSTRAP_KEY);

it('nodes with both URLs form a cluster: changes reach all nodes, and all stop cleanly', {
  timeout: timeoutMs,
}, async () => {
  const withPassword = redis.url.replace('redis://', 'redis://default:hush-hush@');
  await redis.command('CONFIG', 'SET', 'requirepass', 'hush-hush');
  const first = await launch({ KEYWARD_REDIS_URL: withPassword }).ready();
  const others = await Promise.all(
    [1, 2].map(() => launch({ KEYWARD_REDIS_URL: withPassword }).ready()),
  );
  const [a, b, c] = [first, ...others].map(clientOf);
  const made = await a!.post('/api-keys', {
    name: 'shared',
    rateLimitConfigs: { rateLimit: 1_000, rateLimitTtl: 3_600 },
  });
  const { key, id } = made.body as { key: string; id: string };
  const consumedOn = async (client: TestClient) =>
    Number((await client.post(`/api-keys/auth/${key}`)).headers.get('ratelimit-consumed'));
  // If Redis does not respond in time, a busy node counts its own share and reports the rest as used.
  const isShared = (consumed: number) => consumed > 1 && consumed < 300;
  await consumedOn(a!);
  for (const client of [b!, c!, a!])
    await expect.poll(async () => isShared(await consumedOn(client)), SOON).toBe(true);
  await c!.delete(`/api-keys/${id}`);
  for (const client of [a!, b!])
    await expect
      .poll(async () => (await client.post(`/api-keys/auth/${key}`)).status, SOON)
      .toBe(404);

  for (const server of servers) {
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
    for (const hidden of [SECRET, BOOTSTRAP_KEY, key, 'hush-hush', database.url])
      expect(server.output).not.toContain(hidden);
  }
  // Nodes write nothing to the local disk.
  expect(readdirSync(parent)).toEqual([]);
});

it('without Redis a second node fails with one line of advice, but a dead node does not count', {
  timeout: timeoutMs,
}, async () => {
  const first = await launch({}).ready();
  const second = await launchRefused(first);
  expect(await second.exited).toEqual({ code: 1, signal: null });
  expect(second.stderr.trimEnd().split('\n')).toEqual([
    expect.stringMatching(
      /^keyward: Another node .*KEYWARD_REDIS_URL.*KEYWARD_RATE_LIMITS=per-node/,
    ),
  ]);
  expect((await clientOf(first).get('/readyz')).status).toBe(200);
  await first.end('SIGKILL');
  const next = await launch({}).ready();
  expect((await clientOf(next).get('/readyz')).status).toBe(200);
  const beside = await launch({ KEYWARD_RATE_LIMITS: 'per-node' }).ready();
  expect((await clientOf(beside).get('/readyz')).status).toBe(200);
});

it('a missing database fails the start with one line, without the password', {
  timeout: timeoutMs,
}, async () => {
  const nowhere = launch({ KEYWARD_DATABASE_URL: 'postgres://me:hush@127.0.0.1:1/keyward' });
  expect(await nowhere.exited).toEqual({ code: 1, signal: null });
  const lines = nowhere.stderr.trimEnd().split('\n');
  expect(lines).toEqual([
    expect.stringMatching(/^keyward: PostgreSQL at 127\.0\.0\.1:1\/keyward cannot be used/),
  ]);
  expect(nowhere.output).not.toContain('hush');
});
