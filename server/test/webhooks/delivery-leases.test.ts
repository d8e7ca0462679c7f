// 5 s of CPU: each test begins with a new installation, some with two nodes.
import { afterEach, beforeEach, expect, it } from 'vitest';
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

const arrived = (count: number) => receiver.until((received) => received.length === count);

it('a delivery in flight is leased, and its lease is extended while it lasts', async () => {
  const hook = await addWebhook(app, `${receiver.url}/hang/lease`);
  await addKey(app);
  await arrived(1);
  const [leased] = await deliveryRows(app, hook.id);
  expect(leased!.lease_until! - app.clock.now).toBe(10_000);
  app.clock.now += 5_000;
  await eventually(
    () => deliveryRows(app, hook.id),
    ([row]) => row!.lease_until === app.clock.now + 10_000,
  );
  receiver.release('/hang/lease');
  await eventually(
    () => deliveryRows(app, hook.id),
    ([row]) => row!.status === 'delivered',
  );
});

it('a lease that another node has taken over is not extended', async () => {
  const lost = await addWebhook(app, `${receiver.url}/hang/lost`);
  const kept = await addWebhook(app, `${receiver.url}/hang/kept`);
  await addKey(app);
  await arrived(2);
  const otherLease = { lease_token: 'another', lease_until: app.clock.now + 20_000 };
  await app.storage.transaction((tx) =>
    tx.updateTable('deliveries').set(otherLease).where('webhook_id', '=', lost.id).execute(),
  );
  app.clock.now += 15_000;
  // Both leases would be extended in the same transaction.
  await eventually(
    () => deliveryRows(app, kept.id),
    ([row]) => row!.lease_until === app.clock.now + 10_000,
  );
  expect((await deliveryRows(app, lost.id))[0]).toMatchObject(otherLease);
  receiver.release('/hang/lost');
  receiver.release('/hang/kept');
});

it('a result is not recorded after the lease was lost', async () => {
  const hook = await addWebhook(app, `${receiver.url}/hang/lost`);
  const other = await addWebhook(app, `${receiver.url}/hang/kept`);
  await addKey(app);
  await arrived(2);
  const otherLease = { lease_token: 'another', lease_until: app.clock.now + 60_000 };
  await app.storage.transaction((tx) =>
    tx.updateTable('deliveries').set(otherLease).where('webhook_id', '=', hook.id).execute(),
  );
  receiver.release('/hang/lost');
  receiver.release('/hang/kept');
  await eventually(
    () => deliveryRows(app, other.id),
    ([row]) => row!.status === 'delivered',
  );
  expect((await deliveryRows(app, hook.id))[0]).toMatchObject({
    ...otherLease,
    status: 'pending',
    attempts: 0,
  });
  expect(await attemptRows(app, hook.id)).toEqual([]);
});

it('a lease that is not extended ends, and the delivery is sent again', async () => {
  const hook = await addWebhook(app, `${receiver.url}/abandoned`);
  await app.app.deliveries.stop();
  await addKey(app);
  const leasedUntil = app.clock.now + 10_000;
  await app.storage.transaction((tx) =>
    tx
      .updateTable('deliveries')
      .set({ lease_token: 'of a dead node', lease_until: leasedUntil })
      .execute(),
  );
  const engine = await startEngine(app, { ownsDatabase: false });
  app.clock.now = leasedUntil - 1;
  engine.wake([hook.id]);
  const other = await addWebhook(app, `${receiver.url}/witness`);
  await addKey(app);
  engine.wake([other.id]);
  await receiver.until((received) => received.some(({ path }) => path === '/witness'));
  expect((await deliveryRows(app, hook.id))[0]).toMatchObject({ attempts: 0 });
  app.clock.now = leasedUntil;
  engine.wake([hook.id]);
  await eventually(
    () => deliveryRows(app, hook.id),
    (rows) => rows.every(({ status }) => status === 'delivered'),
  );
  await engine.stop();
});

it('the only process on a database releases the leases of a dead process', async () => {
  const hook = await addWebhook(app, `${receiver.url}/freed`);
  await app.app.deliveries.stop();
  await addKey(app);
  await app.storage.transaction((tx) =>
    tx
      .updateTable('deliveries')
      .set({ lease_token: 'of a dead process', lease_until: app.clock.now + 10_000 })
      .execute(),
  );
  const engine = await startEngine(app);
  await eventually(
    () => deliveryRows(app, hook.id),
    ([row]) => row!.status === 'delivered',
  );
  await engine.stop();
});

it('a stop releases unfinished deliveries, and the next start sends them', async () => {
  const hook = await addWebhook(app, `${receiver.url}/hang/stop`);
  await addKey(app);
  await arrived(1);
  await app.app.deliveries.stop();
  expect((await deliveryRows(app, hook.id))[0]).toMatchObject({
    status: 'pending',
    attempts: 0,
    lane: 0,
    lease_token: null,
    lease_until: null,
  });
  await eventually(
    async () => app.app.deliveries.inFlight,
    (count) => count === 0,
  );
  expect(app.app.deliveries.attempts).toEqual({ delivered: 0, failed: 0, gone: 0 });
  expect(await attemptRows(app, hook.id)).toEqual([]);
  const engine = await startEngine(app, { ownsDatabase: false });
  await arrived(2);
  receiver.release('/hang/stop');
  await eventually(
    () => deliveryRows(app, hook.id),
    ([row]) => row!.status === 'delivered',
  );
  await engine.stop();
});

it('a stop waits for deliveries about to end, and records them', async () => {
  const hook = await addWebhook(app, `${receiver.url}/hang/ending`);
  await addKey(app);
  await arrived(1);
  const stopped = app.app.deliveries.stop();
  receiver.release('/hang/ending');
  await stopped;
  expect((await deliveryRows(app, hook.id))[0]).toMatchObject({ status: 'delivered', attempts: 1 });
});

it('two engines over one database send nothing twice', async () => {
  const paths = ['/a', '/b', '/c', '/d'];
  for (const path of paths)
    await addWebhook(app, receiver.url + path, { topics: ['api-key.updated'] });
  const second = await startEngine(app, { ownsDatabase: false });
  const { id } = await addKey(app);
  const changes = 100;
  const ids = (await app.storage.read.selectFrom('webhooks').select('id').execute()).map(
    (row) => row.id,
  );
  for (let n = 0; n < changes; n++) {
    await app.client.patch(`/api-keys/${id}`, { name: `name ${n}` });
    second.wake(ids);
  }
  await eventually(
    () => app.storage.read.selectFrom('deliveries').select('status').execute(),
    (rows) =>
      rows.length === changes * paths.length && rows.every(({ status }) => status === 'delivered'),
  );
  const sent = receiver.received.map(({ path, headers }) => `${path} ${headers['webhook-id']}`);
  expect(sent).toHaveLength(changes * paths.length);
  expect(new Set(sent).size).toBe(sent.length);
  const both = [app.app.deliveries.attempts.delivered, second.attempts.delivered];
  expect(both[0]! + both[1]!).toBe(sent.length);
  expect(Math.min(...both)).toBeGreaterThan(0);
  await second.stop();
});
