import { afterAll, beforeAll, expect, it } from 'vitest';
import { timeoutMs } from '../harness/scale.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import {
  addKey,
  addWebhook,
  attemptRows,
  deliveryRows,
  eventually,
  LOOPBACK,
  later,
} from '../webhooks/delivery-app.ts';
import { type Receiver, startReceiver } from '../webhooks/receiver.ts';

/** Never reached: waiting for a hanging receiver would exceed the timeout of the test. */
const LONG_MS = 3_600_000;
const SHORT_MS = 500;

/** Receivers that fail quickly, and the recorded attempt of each. */
const QUICK = {
  error: { status_code: 500, error: 'HTTP 500', response_body: 'it broke' },
  reset: { status_code: null, error: expect.stringMatching(/reset|closed/) },
};
/** Receivers that get their deliveries. Only the status counts: a response that is too large is cut off. */
const DELIVERED = ['good', 'flood', 'bomb', 'latin'];
const SLOW = ['hang', 'drip'];

let app: TestApp;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  app = await startTestApp({ webhookAllow: LOOPBACK, deliveryDeadlineMs: LONG_MS });
});
afterAll(async () => {
  await receiver.close();
  await app.close();
});

it(
  'receivers of every bad kind are recorded, tried again, and do not delay others',
  async () => {
    const hooks = new Map<string, string>();
    for (const kind of [...Object.keys(QUICK), ...SLOW, ...DELIVERED])
      hooks.set(kind, (await addWebhook(app, `${receiver.url}/${kind}`)).id);
    // More deliveries than a webhook has slots, so that all slots of the hanging receivers are in use.
    const keys = 12;
    for (let n = 0; n < keys; n++) await addKey(app, `key ${n}`);

    for (const kind of DELIVERED) {
      const rows = await eventually(
        () => deliveryRows(app, hooks.get(kind)!),
        (rows) => rows.every(({ status }) => status !== 'pending'),
      );
      expect(rows.map(({ status }) => status)).toEqual(Array(keys).fill('delivered'));
    }
    // The receivers above have got everything before a hanging one has answered once.
    for (const kind of SLOW) expect(await attemptRows(app, hooks.get(kind)!)).toEqual([]);

    for (const [kind, recorded] of Object.entries(QUICK)) {
      const attempts = await eventually(
        () => attemptRows(app, hooks.get(kind)!),
        (rows) => rows.length === keys,
      );
      expect(attempts[0], kind).toMatchObject(recorded);
      const rows = await deliveryRows(app, hooks.get(kind)!);
      expect(rows.filter(({ attempts }) => attempts > 0).map(({ status }) => status)).not.toContain(
        'delivered',
      );
    }

    later(app, 6_000);
    for (const kind of Object.keys(QUICK))
      await eventually(
        () => deliveryRows(app, hooks.get(kind)!),
        (rows) => rows.every(({ attempts }) => attempts === 2),
      );
    for (const kind of DELIVERED)
      expect(await attemptRows(app, hooks.get(kind)!)).toHaveLength(keys);
  },
  timeoutMs,
);

it('a response that does not end is cut off at the deadline and recorded', async () => {
  const short = await startTestApp({ webhookAllow: LOOPBACK, deliveryDeadlineMs: SHORT_MS });
  try {
    for (const kind of SLOW) {
      const { id } = await addWebhook(short, `${receiver.url}/${kind}`);
      await addKey(short);
      const [first] = await eventually(
        () => attemptRows(short, id),
        (rows) => rows.length > 0,
      );
      expect(first).toMatchObject({ error: 'no complete response within 0.5 s' });
      const [row] = await deliveryRows(short, id);
      expect(row).toMatchObject({ status: 'pending', attempts: 1 });
    }
  } finally {
    await short.close();
  }
});

it('a receiver that hangs does not delay nineteen others', async () => {
  const before = receiver.received.length;
  const { id } = await addKey(app, 'the key');
  const topics = { topics: ['api-key.updated'] };
  const hanging = await addWebhook(app, `${receiver.url}/hang/one-of-twenty`, topics);
  const others = [];
  for (let n = 0; n < 19; n++) others.push(await addWebhook(app, `${receiver.url}/n${n}`, topics));
  for (let n = 0; n < 30; n++) await app.client.patch(`/api-keys/${id}`, { name: `name ${n}` });
  for (const other of others)
    await eventually(
      () => deliveryRows(app, other.id),
      (rows) => rows.length === 30 && rows.every(({ status }) => status === 'delivered'),
    );
  const isHanging = ({ path }: { path: string }) => path === '/hang/one-of-twenty';
  await receiver.until((all) => all.some(isHanging));
  const inFlight = receiver.received.slice(before).filter(isHanging).length;
  expect(inFlight).toBeGreaterThan(0);
  expect(inFlight).toBeLessThanOrEqual(16);
  expect((await deliveryRows(app, hanging.id)).every(({ attempts }) => attempts === 0)).toBe(true);
});

it('a delivery that cannot be prepared fails alone, without showing the reason', async () => {
  const { id } = await addKey(app, 'another key');
  const topics = { topics: ['api-key.deleted'] };
  const broken = await addWebhook(app, `${receiver.url}/broken`, topics);
  const whole = await addWebhook(app, `${receiver.url}/whole`, topics);
  await app.storage.transaction((tx) =>
    tx.updateTable('webhooks').set({ secret: 'v1.nonsense' }).where('id', '=', broken.id).execute(),
  );
  await app.client.delete(`/api-keys/${id}`);
  const rows = await eventually(
    () => deliveryRows(app, broken.id),
    ([row]) => row!.attempts === 1,
  );
  expect(rows[0]).toMatchObject({ status: 'pending', last_error: 'the attempt could not be made' });
  await eventually(
    () => deliveryRows(app, whole.id),
    ([row]) => row!.status === 'delivered',
  );
  expect(receiver.received.some(({ path }) => path === '/broken')).toBe(false);
});
