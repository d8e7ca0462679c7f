import { afterAll, beforeAll, expect, it } from 'vitest';
import { figure, scaled, timeoutMs } from '../../harness/scale.ts';
import { type ClusterNode, startCluster, type TestCluster } from '../../harness/test-cluster.ts';

const ROUNDS = scaled(500, 25);
const SOON = { interval: 5 };

let cluster: TestCluster;
let a: ClusterNode;
let b: ClusterNode;
let c: ClusterNode;
beforeAll(async () => {
  // A small cache, so that keys are read again and again while they change.
  cluster = await startCluster({ limitsPerNode: true, cacheBytes: 16 * 1024 });
  [a, b, c] = cluster.nodes as [ClusterNode, ClusterNode, ClusterNode];
});
afterAll(() => cluster.dispose());

const createKey = async (node: ClusterNode, fields: object = {}) =>
  (await node.client.post('/api-keys', { name: 'a key', ...fields })).body as {
    id: string;
    key: string;
  };
const validate = async (node: ClusterNode, key: string, credential?: string) => {
  const client = credential === undefined ? node.client : node.client.as(credential);
  return (await client.post(`/api-keys/auth/${key}`)).status;
};

it('a key created on one node is valid on every other node immediately', async () => {
  const { key } = await createKey(a);
  expect(await Promise.all([validate(b, key), validate(c, key)])).toEqual([200, 200]);
});

it('a key revoked on one node is refused on every other node, and stays refused', {
  timeout: timeoutMs,
}, async () => {
  let slowestMs = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const [here, ...others] = [0, 1, 2].map((n) => cluster.nodes[(round + n) % 3]!);
    const { key, id } = await createKey(here!);
    const others200 = await Promise.all(others.map((node) => validate(node, key)));
    expect(others200).toEqual([200, 200]);
    let isRevoked = false;
    // Validates continuously, so that reads of the row overlap with the change notification.
    const watching = others.map(async (node) => {
      const statuses: number[] = [];
      while (!isRevoked || statuses.at(-1) === 200) {
        statuses.push(await validate(node, key));
        if (statuses.length > 5_000) break;
      }
      return statuses;
    });
    await here!.client.delete(`/api-keys/${id}`);
    const revokedAt = performance.now();
    expect(await validate(here!, key)).toBe(404);
    isRevoked = true;
    for (const statuses of await Promise.all(watching)) {
      expect(statuses.at(-1)).toBe(404);
      expect(statuses.lastIndexOf(200)).toBeLessThan(statuses.indexOf(404));
    }
    slowestMs = Math.max(slowestMs, performance.now() - revokedAt);
  }
  console.log(
    `revoked: ${figure(ROUNDS)} keys, refused everywhere within ${Math.ceil(slowestMs)} ms`,
  );
});

it('a changed key is changed on every node, and a reactivated one is valid again', async () => {
  const { key, id } = await createKey(a);
  const nameOn = async (node: ClusterNode) =>
    (await node.client.post(`/api-keys/auth/${key}`)).body.name;
  expect(await nameOn(b)).toBe('a key');
  await c.client.patch(`/api-keys/${id}`, { name: 'another name' });
  await expect.poll(() => nameOn(a), SOON).toBe('another name');
  await expect.poll(() => nameOn(b), SOON).toBe('another name');
  await a.client.delete(`/api-keys/${id}`);
  await expect.poll(() => validate(b, key), SOON).toBe(404);
  await b.client.patch(`/api-keys/${id}/reactivate`);
  await expect.poll(() => validate(a, key), SOON).toBe(200);
});

it('an access key revoked on one node is rejected on every other', async () => {
  const made = await a.client.post('/access-keys', { name: 'short-lived' });
  const { key } = await createKey(a);
  expect(await validate(b, key, made.body.key)).toBe(200);
  expect(await validate(c, key, made.body.key)).toBe(200);
  await c.client.delete(`/access-keys/${made.body.id}`);
  await expect.poll(() => validate(b, key, made.body.key), SOON).toBe(401);
  await expect.poll(() => validate(a, key, made.body.key), SOON).toBe(401);
});

it('deleting and reactivating a project on one node affects its keys on every other', async () => {
  const { body: project } = await a.client.post('/projects', {
    name: 'to be deleted',
    accountId: cluster.accountId,
    env: 'live',
  });
  const keys = await Promise.all([1, 2, 3].map(() => createKey(a, { projectId: project.id })));
  const onAll = (node: ClusterNode) => Promise.all(keys.map(({ key }) => validate(node, key)));
  expect(await onAll(b)).toEqual([200, 200, 200]);
  await c.client.delete(`/projects/${project.id}`);
  for (const node of [a, b]) await expect.poll(() => onAll(node), SOON).toEqual([404, 404, 404]);
  await a.client.patch(`/projects/${project.id}/reactivate`);
  for (const node of [b, c]) await expect.poll(() => onAll(node), SOON).toEqual([200, 200, 200]);
});

it('a portal session ends on every node at once', async () => {
  const body = { customAccountId: 'acme', projectId: cluster.projectId };
  const { id, token } = (await a.client.post('/portal-sessions', body)).body;
  const onAll = () =>
    Promise.all(
      cluster.nodes.map(
        async ({ client }) =>
          (await client.as(null).get('/portal/session', { authorization: `Bearer ${token}` }))
            .status,
      ),
    );
  expect(await onAll()).toEqual([200, 200, 200]);
  await b.client.delete(`/portal-sessions/${id}`);
  expect(await onAll()).toEqual([401, 401, 401]);
});

it('a plan or customer changed on one node applies to all its keys on every other node', async () => {
  const { projectId } = cluster;
  const { body: plan } = await a.client.post('/plans', {
    name: 'P',
    permissions: ['one'],
    projectId,
  });
  const fields = { customAccountId: 'on-all-nodes', planId: plan.id, projectId };
  const keys = await Promise.all([1, 2, 3].map(() => createKey(a, fields)));
  const onAll = (node: ClusterNode) =>
    Promise.all(
      keys.map(
        async ({ key }) => (await node.client.post(`/api-keys/auth/${key}`)).body.permissions,
      ),
    );
  const expectEverywhere = async (changedOn: ClusterNode, permissions: string[]) => {
    expect(await onAll(changedOn)).toEqual(keys.map(() => permissions));
    for (const node of cluster.nodes)
      await expect.poll(() => onAll(node), SOON).toEqual(keys.map(() => permissions));
  };
  await expectEverywhere(a, ['one']);
  await b.client.patch(`/plans/${plan.id}`, { permissions: ['two'] });
  await expectEverywhere(b, ['two']);
  const { customAccountId } = fields;
  const customer = { customAccountId, projectId, permissions: ['three'] };
  const { body } = await c.client.post('/customers', customer);
  await expectEverywhere(c, ['three']);
  await a.client.patch(`/customers/${body.id}`, { permissions: ['four'] });
  await expectEverywhere(a, ['four']);
  await b.client.delete(`/customers/${body.id}`);
  await expectEverywhere(b, ['two']);
});

it('an idempotent request returns the same response on every node, and creates one key', async () => {
  const headers = { 'idempotency-key': 'over-all-nodes' };
  const once = { name: 'once', projectId: cluster.projectId };
  const responses = await Promise.all(
    [a, b, c, a, b, c].map((node) => node.client.post('/api-keys', once, headers)),
  );
  const statuses = new Set(responses.map(({ status }) => status));
  expect(statuses.isSubsetOf(new Set([201, 409]))).toBe(true);
  const again = await b.client.post('/api-keys', once, headers);
  expect(again.status).toBe(201);
  for (const { status, body } of responses) if (status === 201) expect(body).toEqual(again.body);
  const listed = await c.client.get('/api-keys?name=once');
  expect(listed.body).toHaveLength(1);
});

it('metrics show live nodes and received changes', async () => {
  const metrics = () => b.app.metrics.registry.metrics();
  await createKey(a);
  await expect.poll(metrics, SOON).toMatch(/^keyward_nodes 3$/m);
  await expect.poll(metrics, SOON).toMatch(/^keyward_bus_changes_received_total [1-9]\d*$/m);
  // A busy machine may interrupt the connection.
  await expect.poll(metrics, SOON).toMatch(/^keyward_bus_connected 1$/m);
  const text = await metrics();
  expect(text).toMatch(/^keyward_bus_disconnects_total \d+$/m);
  expect(text).toMatch(/^keyward_bus_behind_seconds \d/m);
  // No Redis here: limits.test.ts checks that a node with Redis has these metrics.
  expect(text).not.toMatch(/^keyward_(redis|rate_limits)_/m);
  await expect.poll(async () => (await b.client.get('/readyz')).status, SOON).toBe(200);
});
