import { afterAll, beforeAll, expect, it } from 'vitest';
import { figure, isFull, scaled } from '../../harness/scale.ts';
import { START, startTestApp, type TestApp } from '../../harness/test-app.ts';
import { addKey, addWebhook, eventually, LOOPBACK } from '../../webhooks/delivery-app.ts';
import { type Received, type Receiver, startReceiver } from '../../webhooks/receiver.ts';

const DAY = 86_400_000;
const KEYS = scaled(100_000, 5_000);
const BATCH = 1_000;
/** Notices that may arrive before a new event: their deliveries were claimed before or together with it. */
const NOTICES_BEFORE_MAX = 300;
const HEAP_MB_MAX = 200;

let receiver: Receiver;
let test: TestApp;
beforeAll(async () => {
  // Keeps only the topic and the id, so that received bodies do not count as memory of the server.
  receiver = await startReceiver(({ headers, body, ...one }) => {
    const id = headers['webhook-id']!;
    return { ...one, headers: { 'webhook-id': id }, body: JSON.parse(body).type };
  });
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

const isCreated = ({ body }: Received) => body === 'api-key.created';

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
  let heapMax = 0;
  const heapBefore = process.memoryUsage().heapUsed;
  const sampling = setInterval(() => {
    heapMax = Math.max(heapMax, process.memoryUsage().heapUsed);
  }, 50);
  const running = test.app.signals.run();
  await eventually(
    () => countOf('api-key.expired'),
    (count) => count >= 1_000,
  );
  // A change while the notices are written and delivered.
  await addKey(test, 'meanwhile');
  const receivedBefore = receiver.received.length;
  await receiver.until((received) => received.some(isCreated));
  const noticesBefore = receiver.received.findIndex(isCreated) - receivedBefore;
  await running;
  await receiver.until((received) => received.length >= KEYS + 1);
  clearInterval(sampling);
  expect(await countOf('api-key.expired')).toBe(KEYS);
  const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
  expect(ids.size).toBe(KEYS + 1);
  const heapMB = Math.round((heapMax - heapBefore) / 1e6);
  console.log(
    `      ${figure(KEYS)} notices: ${noticesBefore} sent before a new event, heap at most ${heapMB} MB more`,
  );
  expect(noticesBefore).toBeLessThan(NOTICES_BEFORE_MAX);
  // The keys are never all in memory at once. A quick run has too few keys to show this beside other garbage.
  if (isFull) expect(heapMB).toBeLessThan(HEAP_MB_MAX);
}, 900_000);
