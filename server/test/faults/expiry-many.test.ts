import { afterAll, beforeAll, expect, it } from 'vitest';
import { START, startTestApp, type TestApp } from '../harness/test-app.ts';
import { addKey, addWebhook, eventually, LOOPBACK } from '../webhooks/delivery-app.ts';
import { type Receiver, startReceiver } from '../webhooks/receiver.ts';
import { figure, scaled } from './scale.ts';

const DAY = 86_400_000;
const KEYS = scaled(100_000, 5_000);
const BATCH = 1_000;

let receiver: Receiver;
let test: TestApp;
beforeAll(async () => {
  receiver = await startReceiver();
  test = await startTestApp({ webhookAllow: LOOPBACK });
});
afterAll(async () => {
  await test.close();
  await receiver.close();
});

async function importKeys(): Promise<void> {
  const expiry = new Date(START + 40 * DAY).toISOString();
  for (let start = 0; start < KEYS; start += BATCH) {
    const keys = Array.from({ length: BATCH }, (_, n) => ({
      name: `Key ${start + n}`,
      projectId: test.projectId,
      key: `an-imported-key-number-${start + n}`,
      expiry,
    }));
    const answer = await test.client.post('/api-keys/import', { keys });
    expect(answer.status, answer.text).toBeLessThan(300);
  }
  await test.app.signals.run();
}

const countOf = async (type: string): Promise<number> => {
  const { count } = await test.storage.read
    .selectFrom('events')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('type', '=', type)
    .executeTakeFirstOrThrow();
  return Number(count);
};

it(`announces ${figure(KEYS)} keys that expire at once, and lets other events through`, async () => {
  await importKeys();
  await addWebhook(test, `${receiver.url}/hook`, {
    topics: ['api-key.expired', 'api-key.created'],
  });
  test.clock.now = START + 40 * DAY;
  const heapBefore = process.memoryUsage().heapUsed;
  const running = test.app.signals.run();
  await eventually(
    () => countOf('api-key.expired'),
    (count) => count >= 1_000,
  );
  // A change while the notices are written and delivered.
  const { id } = await addKey(test, 'meanwhile');
  const isCreated = ({ body }: { body: string }) => JSON.parse(body).data.id === id;
  await receiver.until((received) => received.some(isCreated));
  const position = receiver.received.findIndex(isCreated);
  await running;
  expect(await countOf('api-key.expired')).toBe(KEYS);
  expect(position).toBeLessThan(KEYS);
  const grown = process.memoryUsage().heapUsed - heapBefore;
  // The receiver keeps what it gets; the keys themselves are never in memory together.
  expect(grown).toBeLessThan(150_000_000 + receiver.received.length * 4_000);
  await receiver.until((received) => received.length >= KEYS + 1);
  const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
  expect(ids.size).toBe(KEYS + 1);
}, 900_000);
