import { afterEach, beforeEach, expect, it } from 'vitest';
import { CALL_TIMEOUT_MS } from '../../harness/long-timeouts.ts';
import { figure, scaled, timeoutMs } from '../../harness/scale.ts';
import { type ClusterNode, startCluster, type TestCluster } from '../../harness/test-cluster.ts';
import { type Receiver, startReceiver } from '../../webhooks/receiver.ts';

const FIRST_USES = 200;
const KEYS = scaled(2_000, 90);
const SOON = { interval: 50 };

let cluster: TestCluster;
let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
  cluster = await startCluster({
    limitsPerNode: true,
    webhookAllow: ['127.0.0.0/8'],
    // On a busy machine, a node may take longer than a lease to send a delivery; then another sends it too.
    deliveryLeaseMs: CALL_TIMEOUT_MS,
  });
});
afterEach(async () => {
  await cluster.dispose();
  await receiver.close();
});

const nodeOf = (n: number): ClusterNode => cluster.nodes[n % cluster.nodes.length]!;

async function addWebhook(topics: readonly string[]): Promise<void> {
  const { status, text } = await nodeOf(0).client.post('/webhooks', {
    name: 'all events',
    url: `${receiver.url}/ok`,
    projectId: cluster.projectId,
    topics,
    httpMethod: 'POST',
    status: 'live',
  });
  expect(status, text).toBe(201);
}

const eventIds = (): string[] => receiver.received.map(({ headers }) => headers['webhook-id']!);

it('200 concurrent first uses of a key on three nodes emit one event', {
  timeout: timeoutMs,
}, async () => {
  await addWebhook(['api-key.firstUsed']);
  for (let round = 0; round < scaled(20, 2); round++) {
    const { body } = await nodeOf(round).client.post('/api-keys', { name: 'used by many' });
    const uses = Array.from({ length: FIRST_USES }, async (_, n) => {
      const { status } = await nodeOf(n).client.post(`/api-keys/auth/${body.key}`);
      expect(status).toBe(200);
    });
    await Promise.all(uses);
    await Promise.all(cluster.nodes.map(({ app }) => app.tally.flush()));
    const events = await nodeOf(0)
      .storage.read.selectFrom('events')
      .select('id')
      .where('type', '=', 'api-key.firstUsed')
      .execute();
    expect(events).toHaveLength(round + 1);
    const { body: record } = await nodeOf(round + 1).client.get(`/api-keys/${body.id}`);
    expect(record.firstUsedAt).not.toBeNull();
    await expect.poll(() => new Set(eventIds()).size, SOON).toBe(round + 1);
  }
});

it('every delivery is sent by exactly one node', { timeout: timeoutMs }, async () => {
  await addWebhook(['api-key.created']);
  const made = Array.from({ length: KEYS }, async (_, n) => {
    const { status, text } = await nodeOf(n).client.post('/api-keys', { name: `key ${n}` });
    expect(status, text).toBe(201);
  });
  await Promise.all(made);
  await expect.poll(() => new Set(eventIds()).size, { ...SOON, timeout: timeoutMs }).toBe(KEYS);
  // A delivery that was claimed twice would be sent within this time.
  await expect
    .poll(
      async () =>
        (
          await nodeOf(0)
            .storage.read.selectFrom('deliveries')
            .select('id')
            .where('status', '!=', 'delivered')
            .execute()
        ).length,
      SOON,
    )
    .toBe(0);
  expect(receiver.received).toHaveLength(KEYS);
  const sent = cluster.nodes.map(({ app }) => app.deliveries.attempts.delivered);
  console.log(`deliveries: ${figure(KEYS)} events, sent by node ${sent.join(', ')}`);
});

it('the counts of all nodes add up to the number of requests', { timeout: timeoutMs }, async () => {
  const { body } = await nodeOf(0).client.post('/api-keys', { name: 'counted' });
  const calls = scaled(3_000, 300);
  for (let n = 0; n < calls; n += 30)
    await Promise.all(
      Array.from({ length: 30 }, (_, m) => nodeOf(n + m).client.post(`/api-keys/auth/${body.key}`)),
    );
  await Promise.all(cluster.nodes.map(({ app }) => app.tally.flush()));
  const totals = await nodeOf(1).client.get(`/analytics/api-key-totals?key=${body.id}`);
  expect(totals.status, totals.text).toBe(200);
  expect(JSON.stringify(totals.body)).toContain(`"total":${calls}`);
});
