import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type UsagePeriodClosed, verifyWebhook } from 'keyward';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { START, startTestApp, type TestApp } from '../harness/test-app.ts';
import { addWebhook, LOOPBACK } from '../webhooks/delivery-app.ts';
import { type Receiver, startReceiver } from '../webhooks/receiver.ts';

const GUIDE = new URL('../../../docs/guides/usage-events.md', import.meta.url);

/** The mappings that the guide shows. */
type Mapping = (event: unknown, customerOf?: (id: string) => string) => object[];
function mappingOf(name: string): Mapping {
  const text = readFileSync(GUIDE, 'utf8');
  const [source] = new RegExp(`function ${name}\\([\\s\\S]*?\\n}\\n`).exec(text)!;
  return new Function('createHash', `${source}return ${name};`)(createHash) as Mapping;
}

let receiver: Receiver;
let test: TestApp;
let event: UsagePeriodClosed;

beforeAll(async () => {
  receiver = await startReceiver();
  test = await startTestApp({ webhookAllow: LOOPBACK });
  const usageEvents = { interval: 'hour', groupBy: 'customer' };
  await test.client.patch(`/projects/${test.projectId}`, { usageEvents });
  await test.app.signals.run();
  const hook = await addWebhook(test, `${receiver.url}/usage`, { topics: ['usage.period'] });
  const fields = { name: 'Key', projectId: test.projectId };
  const { body: acme } = await test.client.post('/api-keys', {
    ...fields,
    customAccountId: 'acme',
  });
  const { body: plain } = await test.client.post('/api-keys', fields);
  await test.client.post('/usage', {
    reporter: 'a-reporter-of-this-test',
    number: 1,
    agoMs: 0,
    counts: [
      { keyId: acme.id, outcome: 'valid', count: 4, cost: 40 },
      { keyId: acme.id, outcome: 'rate_limited', count: 1 },
      { keyId: plain.id, outcome: 'valid', count: 2 },
    ],
  });
  test.clock.now = START + 14 * 3_600_000;
  await test.app.signals.run();
  await receiver.until((received) => received.length > 0);
  const { body, headers } = receiver.received[0]!;
  const secret = hook.secret;
  event = (await verifyWebhook({ body, headers, secret, now: test.clock.now })) as typeof event;
});
afterAll(async () => {
  await test.close();
  await receiver.close();
});

/** What a metering service receives, recorded over HTTP. */
async function sent(path: string, bodies: readonly object[]): Promise<unknown[]> {
  for (const body of bodies)
    await fetch(receiver.url + path, { method: 'POST', body: JSON.stringify(body) });
  return receiver.received.filter((each) => each.path === path).map(({ body }) => JSON.parse(body));
}

it('a usage event maps to events of OpenMeter', async () => {
  const toOpenMeter = mappingOf('toOpenMeter');
  const common = { specversion: '1.0', source: 'keyward', type: 'api-requests' };
  const time = new Date(START).toISOString();
  expect(await sent('/openmeter', toOpenMeter(event))).toEqual([
    {
      ...common,
      id: `${event.id}-none`,
      subject: 'none',
      time,
      data: { requests: 2, cost: 2 },
    },
    {
      ...common,
      id: `${event.id}-acme`,
      subject: 'acme',
      time,
      data: { requests: 4, cost: 40 },
    },
  ]);
});

it('a usage event maps to meter events of Stripe', async () => {
  const toStripe = mappingOf('toStripeMeterEvents');
  expect(
    await sent(
      '/stripe',
      toStripe(event, (id) => `cus_${id}`),
    ),
  ).toEqual([
    {
      event_name: 'api_requests',
      identifier: createHash('sha256').update(`${event.id}-acme`).digest('hex'),
      timestamp: START / 1000,
      payload: { stripe_customer_id: 'cus_acme', value: '40' },
    },
  ]);
});

it('customers with long ids get different identifiers in Stripe', () => {
  const rows = ['1', '2'].map((end) => ({
    ...{ keyId: null, cost: 1 },
    customAccountId: 'x'.repeat(200) + end,
  }));
  const long = { ...event, data: { ...event.data, rows } };
  const sent = mappingOf('toStripeMeterEvents')(long, (id) => id) as { identifier: string }[];
  expect(new Set(sent.map(({ identifier }) => identifier)).size).toBe(2);
  for (const { identifier } of sent) expect(identifier.length).toBeLessThanOrEqual(100);
});
