import { afterEach, beforeEach, expect, it } from 'vitest';
import { sweepDeliveries } from '../../src/features/webhooks/index.ts';
import type { Storage } from '../../src/storage/index.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { addKey, addWebhook, deliveryRows, eventually, LOOPBACK } from './delivery-app.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const DAY = 86_400_000;

let app: TestApp;
let receiver: Receiver;

beforeEach(async () => {
  receiver = await startReceiver();
  app = await startTestApp({ webhookAllow: LOOPBACK });
});
afterEach(async () => {
  await receiver.close();
  await app.close();
});

const counts = async () => {
  const count = async (table: 'events' | 'deliveries' | 'delivery_attempts' | 'webhooks') =>
    (await app.storage.read.selectFrom(table).selectAll().execute()).length;
  return {
    events: await count('events'),
    deliveries: await count('deliveries'),
    attempts: await count('delivery_attempts'),
    webhooks: await count('webhooks'),
  };
};

it('keeps events for 30 days, and a deleted webhook as long as its deliveries', async () => {
  const kept = await addWebhook(app, `${receiver.url}/kept`);
  const deleted = await addWebhook(app, `${receiver.url}/deleted`);
  await addKey(app, 'old');
  const isDelivered = (rows: readonly { status: string }[]) =>
    rows.every(({ status }) => status === 'delivered');
  await eventually(() => deliveryRows(app, kept.id), isDelivered);
  await eventually(() => deliveryRows(app, deleted.id), isDelivered);
  await app.client.delete(`/webhooks/${deleted.id}`);
  app.clock.now += 30 * DAY;
  await addKey(app, 'new');
  await eventually(() => deliveryRows(app, kept.id), isDelivered);

  expect(await sweepDeliveries(app.storage, app.clock.now)).toBe(0);
  expect(await counts()).toEqual({ events: 2, deliveries: 3, attempts: 3, webhooks: 2 });
  expect(await sweepDeliveries(app.storage, app.clock.now + 1)).toBe(1);
  expect(await counts()).toEqual({ events: 1, deliveries: 1, attempts: 1, webhooks: 1 });
  expect((await app.client.get(`/webhooks/${kept.id}`)).status).toBe(200);
});

it('keeps an event for as long as a delivery of it waits', async () => {
  const paused = await addWebhook(app, `${receiver.url}/hang/paused`);
  const done = await addWebhook(app, `${receiver.url}/done`);
  const { key } = await addKey(app, 'waits');
  await receiver.until((received) => received.length === 2);
  await app.client.patch(`/webhooks/${paused.id}`, { status: 'paused' });
  await eventually(
    () => deliveryRows(app, done.id),
    ([row]) => row!.status === 'delivered',
  );
  app.clock.now += 31 * DAY;
  expect(await sweepDeliveries(app.storage, app.clock.now)).toBe(0);
  expect(await deliveryRows(app, paused.id)).toMatchObject([{ status: 'held' }]);

  receiver.release('/hang/paused');
  await eventually(
    () => deliveryRows(app, paused.id),
    ([row]) => row!.status === 'delivered',
  );
  expect(receiver.received.every(({ body }) => body.includes(key))).toBe(true);
  expect(await sweepDeliveries(app.storage, app.clock.now)).toBe(1);
  expect(await deliveryRows(app, paused.id)).toEqual([]);
});

it('deletes many events in several transactions', async () => {
  const ids = Array.from({ length: 501 }, (_, n) => `evt_${n}`);
  await app.storage.transaction(async (tx) => {
    for (const id of ids)
      await tx
        .insertInto('events')
        .values({
          id,
          account_id: app.accountId,
          project_id: null,
          type: 'api-key.updated',
          data: '{}',
          sealed_data: null,
          created_at: 0,
        })
        .execute();
  });
  let transactions = 0;
  const counted: Storage = {
    ...app.storage,
    transaction: (work, options) => {
      transactions++;
      return app.storage.transaction(work, options);
    },
  };
  expect(await sweepDeliveries(counted, app.clock.now)).toBe(501);
  expect(transactions).toBeGreaterThanOrEqual(4);
  expect((await counts()).events).toBe(0);
});

it('metrics show due deliveries, deliveries in flight and results', async () => {
  const hanging = await addWebhook(app, `${receiver.url}/hang/metrics`);
  const good = await addWebhook(app, `${receiver.url}/good`);
  await addWebhook(app, `${receiver.url}/error`);
  await addKey(app);
  await eventually(
    () => deliveryRows(app, good.id),
    ([row]) => row!.status === 'delivered',
  );
  await eventually(
    async () => app.app.deliveries.attempts.failed,
    (failed) => failed === 1,
  );
  app.clock.now += 2_000;
  await eventually(
    () => app.app.metrics.registry.metrics(),
    (text) => text.includes('keyward_webhook_deliveries_due 1'),
  );
  // Not the age at the previous scrape, which was 2 s.
  app.clock.now += 5_000;
  const text = await app.app.metrics.registry.metrics();
  expect(text).toContain('keyward_webhook_deliveries_in_flight 1');
  expect(text).toContain('keyward_webhook_oldest_due_age_seconds 7');
  expect(text).toContain('keyward_webhook_attempts_total{outcome="delivered"} 1');
  expect(text).toContain('keyward_webhook_attempts_total{outcome="failed"} 1');
  receiver.release('/hang/metrics');
  await eventually(
    () => deliveryRows(app, hanging.id),
    ([row]) => row!.status === 'delivered',
  );
});
