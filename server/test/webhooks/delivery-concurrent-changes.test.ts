import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimDue } from '../../src/features/webhooks/sending/claims.ts';
import { releaseUnsent } from '../../src/features/webhooks/sending/release-unsent.ts';
import { type Storage, StorageUnavailable } from '../../src/storage/index.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import {
  addKey,
  addWebhook,
  attemptRows,
  deliveryRows,
  eventually,
  LOOPBACK,
  startEngine,
} from './delivery-app.ts';
import { type Receiver, startReceiver } from './receiver.ts';

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

const recorded = (webhookId: string) =>
  eventually(
    () => deliveryRows(app, webhookId),
    ([row]) => row!.attempts === 1,
  );

describe('while a delivery is in flight', () => {
  it('and its project becomes inactive, a failure leaves it held, not pending', async () => {
    const hook = await addWebhook(app, `${receiver.url}/hang/held`);
    await addKey(app);
    await receiver.until((received) => received.length === 1);
    await app.client.delete(`/projects/${app.projectId}`);
    await receiver.close();
    const [row] = await recorded(hook.id);
    expect(row).toMatchObject({ status: 'held', lane: 1, lease_token: null });
  });

  it('and its webhook is deleted, a failure leaves it cancelled, with its attempt', async () => {
    const hook = await addWebhook(app, `${receiver.url}/hang/cancelled`);
    await addKey(app);
    await receiver.until((received) => received.length === 1);
    await app.client.delete(`/webhooks/${hook.id}`);
    await receiver.close();
    const [row] = await recorded(hook.id);
    expect(row).toMatchObject({ status: 'cancelled', lease_token: null });
    expect(await attemptRows(app, hook.id)).toHaveLength(1);
  });

  it('and its webhook is deleted, a success is still recorded', async () => {
    const hook = await addWebhook(app, `${receiver.url}/hang/arrived`);
    await addKey(app);
    await receiver.until((received) => received.length === 1);
    await app.client.delete(`/webhooks/${hook.id}`);
    receiver.release('/hang/arrived');
    const [row] = await recorded(hook.id);
    expect(row).toMatchObject({ status: 'delivered', lease_token: null });
  });
});

it.each([
  ['moved to another project', (other: string) => ({ project_id: other })],
  ['unsubscribed from the topic', () => ({ topics: '["project.updated"]' })],
])('cancels a delivery that was queued while its webhook was %s', async (_, changeTo) => {
  const hook = await addWebhook(app, `${receiver.url}/moved`, { projectId: null });
  const { body: other } = await app.client.post('/projects', { name: 'Other' });
  await app.app.deliveries.stop();
  await addKey(app);
  // Changes the row directly, like a change that missed this delivery.
  await app.storage.transaction((tx) =>
    tx.updateTable('webhooks').set(changeTo(other.id)).where('id', '=', hook.id).execute(),
  );
  const engine = await startEngine(app);
  await eventually(
    () => deliveryRows(app, hook.id),
    ([row]) => row!.status !== 'pending',
  );
  await engine.stop();
  expect(await deliveryRows(app, hook.id)).toMatchObject([{ status: 'cancelled', attempts: 0 }]);
  expect(receiver.received).toEqual([]);
});

it('a delivery that was to be held stays pending if its webhook is live again', async () => {
  const hook = await addWebhook(app, `${receiver.url}/released`);
  await app.app.deliveries.stop();
  await addKey(app);
  const { now } = app.clock;
  const hold = await app.storage.transaction((tx) =>
    claimDue(tx, [{ webhookId: hook.id, slots: 1 }], { now, until: now + 10_000, token: 'test' }),
  );
  await releaseUnsent(app.storage, { hold, cancel: [] }, now);
  expect((await deliveryRows(app, hook.id))[0]).toMatchObject({
    status: 'pending',
    attempts: 0,
    lease_token: null,
  });
});

it('a database outage neither loses nor repeats deliveries', async () => {
  const hook = await addWebhook(app, `${receiver.url}/patient`);
  await app.app.deliveries.stop();
  const errors: unknown[] = [];
  let isDown = false;
  const storage: Storage = {
    ...app.storage,
    transaction: (work, options) =>
      isDown
        ? Promise.reject(new StorageUnavailable('down'))
        : app.storage.transaction(work, options),
  };
  const engine = await startEngine(app, { storage, onError: (error) => errors.push(error) });
  isDown = true;
  await addKey(app, 'created during the outage');
  engine.wake([hook.id]);
  await eventually(
    async () => errors.length,
    (count) => count > 0,
  );
  expect(receiver.received).toEqual([]);
  isDown = false;
  await eventually(
    () => deliveryRows(app, hook.id),
    ([row]) => row!.status === 'delivered',
  );
  expect(receiver.received).toHaveLength(1);
  await engine.stop();
});
