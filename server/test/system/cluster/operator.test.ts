import { afterEach, beforeEach, expect, it } from 'vitest';
import { operatorHeaders } from '../../../src/cli/operator.ts';
import { deriveSecrets } from '../../../src/kernel/secrets/crypto.ts';
import { TEST_ROOT_SECRET } from '../../harness/test-app.ts';
import { startCluster, type TestCluster } from '../../harness/test-cluster.ts';

let cluster: TestCluster;
beforeEach(async () => {
  cluster = await startCluster({ nodes: 2, limitsPerNode: true });
});
afterEach(() => cluster.dispose());

const { signOperator } = deriveSecrets(TEST_ROOT_SECRET);

it('an operator signature works once in the whole cluster, even if all nodes receive it concurrently', async () => {
  const body = { name: 'one account' };
  const signed = () =>
    operatorHeaders(signOperator, 'POST', '/accounts', JSON.stringify(body), Date.now());
  const send = async (node: number, headers: Record<string, string>) =>
    (await cluster.nodes[node]!.client.as(null).post('/accounts', body, headers)).status;
  const once = signed();
  expect(await send(0, once)).toBe(201);
  expect(await send(1, once)).toBe(401);
  expect(await send(0, once)).toBe(401);
  const concurrent = signed();
  const statuses = await Promise.all([0, 1, 0, 1].map((node) => send(node, concurrent)));
  expect(statuses.toSorted()).toEqual([201, 401, 401, 401]);
  const made = await cluster.administer(`select id from accounts where name = 'one account'`);
  expect(made).toHaveLength(2);
});
