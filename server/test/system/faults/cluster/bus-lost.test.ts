import { afterEach, beforeEach, expect, it } from 'vitest';
import { scaled, timeoutMs } from '../../../harness/scale.ts';
import { type ClusterNode, startCluster, type TestCluster } from '../../../harness/test-cluster.ts';

const ROUNDS = scaled(30, 3);
// Long enough that a busy node is not mistaken for a disconnected one.
const STALE_SECONDS = 5;
const SOON = { interval: 20 };

let cluster: TestCluster;
let a: ClusterNode;
let b: ClusterNode;
beforeEach(async () => {
  cluster = await startCluster({
    nodes: 2,
    limitsPerNode: true,
    staleSeconds: STALE_SECONDS,
    busSilenceMs: 1_000,
  });
  [a, b] = cluster.nodes as [ClusterNode, ClusterNode];
});
afterEach(() => cluster.dispose());

const createKey = async (node: ClusterNode) =>
  (await node.client.post('/api-keys', { name: 'a key' })).body as { id: string; key: string };
const validate = (node: ClusterNode, key: string) => node.client.post(`/api-keys/auth/${key}`);
const statusOn = async (node: ClusterNode, key: string) => (await validate(node, key)).status;
const isConnected = (node: ClusterNode) => node.app.cluster.readings.bus?.isConnected;
const disconnects = (node: ClusterNode) => node.app.cluster.readings.bus!.disconnects;

/** Ends the connections on which nodes listen; returns how many there were. */
const endSessions = async (): Promise<number> =>
  (
    await cluster.administer(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name like 'keyward node %'`,
    )
  ).length;

it('a key revoked while the listening connection is closed is refused soon after', {
  timeout: timeoutMs,
}, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { key, id } = await createKey(a);
    expect(await statusOn(b, key)).toBe(200);
    // On a busy machine a heartbeat may be late, and a node reconnects.
    await expect.poll(endSessions, SOON).toBeGreaterThanOrEqual(2);
    await a.client.delete(`/api-keys/${id}`);
    await expect.poll(() => statusOn(b, key), SOON).toBe(404);
    await expect.poll(() => [isConnected(a), isConnected(b)], SOON).toEqual([true, true]);
  }
  expect(disconnects(b)).toBeGreaterThanOrEqual(ROUNDS);
});

it('a disconnected node serves cached keys, then returns 503, and reconnects without stale keys', async () => {
  const [revoked, kept] = [await createKey(a), await createKey(a)];
  for (const { key } of [revoked, kept]) expect(await statusOn(b, key)).toBe(200);
  const stream = await fetch(`${b.url}/changes`, { headers: { 'x-api-key': cluster.accessKey } });
  expect(stream.status).toBe(200);
  b.bus.cut();
  await expect.poll(() => isConnected(b), SOON).toBe(false);
  await a.client.delete(`/api-keys/${revoked.id}`);
  expect(await statusOn(a, revoked.key)).toBe(404);

  await expect.poll(() => statusOn(b, kept.key), SOON).toBe(503);
  const refused = await validate(b, kept.key);
  expect(refused.body.code).toBe('node_isolated');
  expect(refused.headers.get('retry-after')).toBe('1');
  // Clients reconnect, perhaps to another node.
  expect(refused.headers.get('connection')).toBe('close');
  expect(await stream.text()).toMatch(/event: end\ndata: {"reason":"changes_missed"}\n\n$/);
  expect(refused.text).not.toContain(kept.key);
  expect((await b.client.get('/projects')).body.code).toBe('node_isolated');
  const ready = await b.client.get('/readyz');
  expect([ready.status, ready.body.code]).toEqual([503, 'node_isolated']);
  expect((await b.client.get('/healthz')).status).toBe(200);
  expect(await statusOn(a, kept.key)).toBe(200);

  b.bus.forward();
  await expect.poll(() => statusOn(b, kept.key), SOON).toBe(200);
  expect(await statusOn(b, revoked.key)).toBe(404);
  expect((await b.client.get('/readyz')).status).toBe(200);
});

it('keys that a disconnected node reads are correct, and are dropped when it reconnects', async () => {
  const { key, id } = await createKey(a);
  b.bus.cut();
  await expect.poll(() => isConnected(b), SOON).toBe(false);
  // Not cached yet: read from the database and cached from now on.
  expect(await statusOn(b, key)).toBe(200);
  await a.client.delete(`/api-keys/${id}`);
  b.bus.forward();
  await expect.poll(() => statusOn(b, key), SOON).toBe(404);
});

it('a half-open connection is detected by missing heartbeats', async () => {
  const { key, id } = await createKey(a);
  expect(await statusOn(b, key)).toBe(200);
  const before = disconnects(b);
  b.bus.freeze();
  await a.client.delete(`/api-keys/${id}`);
  await expect.poll(() => disconnects(b), SOON).toBeGreaterThan(before);
  await expect.poll(() => statusOn(b, key), SOON).toBe(503);
  b.bus.forward();
  await expect.poll(() => statusOn(b, key), SOON).toBe(404);
  expect(b.log.join('')).toContain('change bus disconnected');
  expect(b.log.join('')).toContain('change bus connected again');
});

it('a node applies its own changes while disconnected', async () => {
  const { key, id } = await createKey(b);
  expect(await statusOn(b, key)).toBe(200);
  b.bus.cut();
  await expect.poll(() => isConnected(b), SOON).toBe(false);
  expect((await b.client.delete(`/api-keys/${id}`)).status).toBe(200);
  expect(await statusOn(b, key)).toBe(404);
  await expect.poll(() => statusOn(a, key), SOON).toBe(404);
});

it('a disconnected node is not counted until it reconnects', async () => {
  const nodesOn = (node: ClusterNode) => node.app.cluster.readings.bus?.nodes;
  await expect.poll(() => nodesOn(a), SOON).toBe(2);
  b.bus.cut();
  await expect.poll(() => nodesOn(a), SOON).toBe(1);
  b.bus.forward();
  await expect.poll(() => nodesOn(a), SOON).toBe(2);
});

it('an access key revoked while a node is disconnected is rejected after it reconnects', async () => {
  const { key } = await createKey(a);
  const { body } = await a.client.post('/access-keys', { name: 'account key' });
  const statusAs = async () => (await b.client.as(body.key).post(`/api-keys/auth/${key}`)).status;
  expect(await statusAs()).toBe(200);
  b.bus.cut();
  await expect.poll(() => isConnected(b), SOON).toBe(false);
  await a.client.delete(`/access-keys/${body.id}`);
  b.bus.forward();
  await expect.poll(statusAs, SOON).toBe(401);
});
