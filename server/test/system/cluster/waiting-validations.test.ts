import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startCluster, type TestCluster } from '../../harness/test-cluster.ts';

/** Maximum number of validations that wait ahead of the router. */
const WAITING_MAX = 10_000;

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startCluster({ nodes: 1 });
  // From now on the access key is cached, so that validations are handled ahead of the router.
  expect((await validate(await coldKey())).status).toBe(200);
});
afterAll(() => cluster?.dispose());

const node = () => cluster.nodes[0]!;
const coldKey = async (): Promise<string> =>
  (await node().client.post('/api-keys', { name: 'cold' })).body.key;
const coldKeys = (count: number): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, coldKey));
const validate = (key: string) => node().client.post(`/api-keys/auth/${key}`);

async function readMetrics(...names: string[]): Promise<number[]> {
  const lines = (await node().app.metrics.registry.metrics()).split('\n');
  return names.map((name) => Number(lines.find((line) => line.startsWith(name))?.split(' ')[1]));
}

it('validations that wait for a row count as in flight until they are answered', async () => {
  const keys = await coldKeys(20);
  const owner = new Client({ connectionString: cluster.database.url });
  await owner.connect();
  try {
    await owner.query('begin; lock table api_keys in access exclusive mode');
    const responses = Promise.all(keys.map(validate));
    await expect.poll(() => node().app.overload.waiting).toBe(20);
    expect(node().app.overload.counts.inFlight).toBe(20);
    await owner.query('rollback');
    expect((await responses).map(({ status }) => status)).toEqual(keys.map(() => 200));
    await expect.poll(() => node().app.overload.waiting).toBe(0);
  } finally {
    await owner.end();
  }
});

it('failed validations are counted and measured like all others', async () => {
  const METRICS = [
    'keyward_validations_total{outcome="failed"}',
    'keyward_validation_duration_seconds_count',
  ];
  const keys = await coldKeys(5);
  const [failed, timed] = await readMetrics(...METRICS);
  await cluster.administer('alter table api_keys rename to api_keys_away');
  try {
    for (const key of keys) {
      const { status, body } = await validate(key);
      expect([status, body.code]).toEqual([500, 'internal_error']);
    }
  } finally {
    await cluster.administer('alter table api_keys_away rename to api_keys');
  }
  expect(await readMetrics(...METRICS)).toEqual([failed! + 5, timed! + 5]);
  expect(node().app.overload.waiting).toBe(0);
});

it('validations are rejected if too many are waiting', async () => {
  const key = await coldKey();
  const { overload } = node().app;
  const [shed] = await readMetrics('keyward_requests_shed_total');
  overload.waiting += WAITING_MAX;
  try {
    const response = await fetch(`${node().url}/api-keys/auth/${key}`, {
      method: 'POST',
      headers: { 'x-api-key': cluster.accessKey },
    });
    const { code } = (await response.json()) as { code: string };
    const wait = response.headers.get('retry-after');
    expect([response.status, code, wait]).toEqual([503, 'overloaded', '1']);
  } finally {
    overload.waiting -= WAITING_MAX;
  }
  expect(await readMetrics('keyward_requests_shed_total')).toEqual([shed! + 1]);
  expect((await validate(key)).status).toBe(200);
});
