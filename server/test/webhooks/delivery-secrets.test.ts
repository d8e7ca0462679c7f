import { afterEach, beforeEach, expect, it } from 'vitest';
import { rawDatabase } from '../e2e/raw-database.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import {
  addWebhook,
  attemptRows,
  deliveryRows,
  eventually,
  LOOPBACK,
  later,
} from './delivery-app.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const KEY_VALUE = 'planted-key-value-qK7dZp2Lx9';
const HEADER_SECRET = 'planted-header-credential-W4tY';

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

const sealedCount = async () =>
  (
    await app.storage.read
      .selectFrom('events')
      .select('id')
      .where('sealed_data', 'is not', null)
      .execute()
  ).length;

it('a sent secret is stored nowhere in plain text, even if the receiver echoes it', async () => {
  const customHeaders = { authorization: `Bearer ${HEADER_SECRET}` };
  const echo = await addWebhook(app, `${receiver.url}/echo`, { customHeaders });
  const good = await addWebhook(app, `${receiver.url}/good`, { customHeaders });
  await app.client.post('/api-keys', { name: 'planted', key: KEY_VALUE, projectId: app.projectId });
  for (let attempt = 1; attempt <= 8; attempt++) {
    await eventually(
      () => deliveryRows(app, echo.id),
      ([row]) => row!.attempts === attempt && row!.lease_token === null,
    );
    if (attempt < 8) expect(await sealedCount()).toBe(1);
    later(app, 13 * 3_600_000);
  }
  // Each attempt sent the complete value, and the receiver echoed it.
  expect(receiver.received.filter(({ body }) => body.includes(KEY_VALUE))).toHaveLength(9);
  expect(receiver.received[0]!.headers.authorization).toContain(HEADER_SECRET);
  expect((await attemptRows(app, echo.id))[0]!.response_body).toContain('webhook-signature');

  expect(await sealedCount()).toBe(0);
  const history = await app.client.get(`/webhooks/${echo.id}/deliveries`);
  const audit = await app.storage.read.selectFrom('audit_log').selectAll().execute();
  const places = {
    log: app.log.join(''),
    database: (await rawDatabase(app)).toString('latin1'),
    history: history.text,
    audit: JSON.stringify(audit),
  };
  const planted = [KEY_VALUE, HEADER_SECRET, echo.secret, good.secret];
  for (const [place, text] of Object.entries(places))
    for (const secret of planted)
      expect(text.includes(secret), `${secret} in ${place}`).toBe(false);
});

it('a payload with a key value is erased when its last delivery ends', async () => {
  const quick = await addWebhook(app, `${receiver.url}/quick`);
  const slow = await addWebhook(app, `${receiver.url}/hang/slow`);
  await app.client.post('/api-keys', { name: 'planted', key: KEY_VALUE, projectId: app.projectId });
  await eventually(
    () => deliveryRows(app, quick.id),
    ([row]) => row!.status === 'delivered',
  );
  expect(await sealedCount()).toBe(1);
  await receiver.until((received) => received.some(({ path }) => path === '/hang/slow'));
  receiver.release('/hang/slow');
  await eventually(
    () => deliveryRows(app, slow.id),
    ([row]) => row!.status === 'delivered',
  );
  expect(await sealedCount()).toBe(0);
});

it('a replay sends the mask, and does not extend how long the value is kept', async () => {
  const first = await addWebhook(app, `${receiver.url}/hang/first`);
  await app.client.post('/api-keys', { name: 'planted', key: KEY_VALUE, projectId: app.projectId });
  await receiver.until((received) => received.length === 1);
  const subscribedLater = await addWebhook(app, `${receiver.url}/hang/again`);
  const replay = { since: '2029-01-01' };
  await app.client.post(`/webhooks/${subscribedLater.id}/replay`, replay);
  await receiver.until((received) => received.some(({ path }) => path === '/hang/again'));
  const again = receiver.received.find(({ path }) => path === '/hang/again')!;
  expect(await sealedCount()).toBe(1);
  expect(again.body).not.toContain(KEY_VALUE);
  expect(JSON.parse(again.body).data.key).toContain('***');

  receiver.release('/hang/first');
  await eventually(
    () => deliveryRows(app, first.id),
    ([row]) => row!.status === 'delivered',
  );
  expect((await deliveryRows(app, subscribedLater.id))[0]!.status).toBe('pending');
  expect(await sealedCount()).toBe(0);
});
