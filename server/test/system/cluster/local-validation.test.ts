import { setTimeout as sleep } from 'node:timers/promises';
import { LocalKeyward } from 'keyward/local';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { fromCache } from '../../../../sdk/test/local/from-cache.ts';
import { CALL_TIMEOUT_MS } from '../../harness/long-timeouts.ts';
import { rounds, timeoutMs } from '../../harness/scale.ts';
import { type ClusterNode, startCluster, type TestCluster } from '../../harness/test-cluster.ts';

const ROUNDS = { full: 300, quick: 10, atLeast: 3 };
const BOUND_MS = 1_000;

let cluster: TestCluster;
let nodes: readonly ClusterNode[];
const opened: LocalKeyward[] = [];
beforeAll(async () => {
  cluster = await startCluster({ limitsPerNode: true });
  nodes = cluster.nodes;
});
afterEach(async () => {
  for (const local of opened.splice(0)) await local.close();
});
afterAll(() => cluster.dispose());

/** A client behind a load balancer: each call goes to the next node; the stream stays on its node. */
function open(): LocalKeyward {
  let next = 0;
  const balanced: typeof fetch = (input, init) => {
    const url = String(input).replace(nodes[0]!.url, nodes[next++ % nodes.length]!.url);
    return fetch(url, init);
  };
  const local = new LocalKeyward({
    url: nodes[0]!.url,
    accessKey: cluster.accessKey,
    timeoutMs: CALL_TIMEOUT_MS,
    fetch: balanced,
    onUnavailable: 'deny',
  });
  opened.push(local);
  return local;
}

const createKey = async (node: ClusterNode) =>
  (await node.client.post('/api-keys', { name: 'a key', projectId: cluster.projectId })).body;

/** How long after `from` the key was last accepted from the cache. */
async function lateMs(
  local: LocalKeyward,
  key: string,
  from: number,
  isOver: (allowed: boolean, watchedMs: number) => boolean,
) {
  for (let last = Number.NEGATIVE_INFINITY; ; await sleep(2)) {
    const watchedMs = performance.now() - from;
    const result = local.validate(key);
    const { allowed } = await result;
    if (allowed && !(result instanceof Promise)) last = watchedMs;
    if (isOver(allowed, watchedMs)) return last;
  }
}

it('keys cached from any node are dropped when another node revokes them', {
  timeout: timeoutMs,
}, async () => {
  const local = open();
  await local.ready;
  await rounds(ROUNDS, async (round) => {
    const { key, id } = await createKey(nodes[round % 3]!);
    await fromCache(local, key);
    // Validations overlap with the change notification, on nodes that have received it and on others.
    const crossing = Array.from({ length: 10 }, () => local.validate(key));
    await nodes[(round + 1) % 3]!.client.delete(`/api-keys/${id}`);
    const revokedAt = performance.now();
    await Promise.all(crossing);
    const late = await lateMs(local, key, revokedAt, (allowed, ms) => !allowed && ms > 300);
    expect(late).toBeLessThanOrEqual(BOUND_MS);
  });
});

it('without a change bus, a revoked key is accepted from the cache for at most a second', {
  timeout: timeoutMs,
}, async () => {
  const local = open();
  await local.ready;
  const { key, id } = await createKey(nodes[1]!);
  await fromCache(local, key);
  for (const node of nodes) node.bus.freeze();
  await nodes[1]!.client.delete(`/api-keys/${id}`);
  const revokedAt = performance.now();
  const late = await lateMs(local, key, revokedAt, (_, ms) => ms > 2_500);
  expect(late).toBeLessThanOrEqual(BOUND_MS);
  for (const node of nodes) node.bus.thaw();
});
