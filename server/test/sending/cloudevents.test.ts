import { CloudEvent, HTTP } from 'cloudevents';
import { verifyWebhook } from 'keyward';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { addKey, addWebhook, LOOPBACK } from '../webhooks/delivery-app.ts';
import { type Received, type Receiver, startReceiver } from '../webhooks/receiver.ts';

let receiver: Receiver;
let test: TestApp;
beforeAll(async () => {
  receiver = await startReceiver();
  test = await startTestApp({ webhookAllow: LOOPBACK, realClock: true });
});
afterAll(async () => {
  await test.close();
  await receiver.close();
});

async function receivedAt(path: string): Promise<Received> {
  const isThere = (received: readonly Received[]) => received.some((each) => each.path === path);
  await receiver.until(isThere);
  return receiver.received.find((each) => each.path === path)!;
}

it('sends CloudEvents that the SDK of CloudEvents accepts, without key values', async () => {
  const topics = ['api-key.created'];
  const hook = await addWebhook(test, `${receiver.url}/cloud`, { topics, format: 'cloudevents' });
  const standard = await addWebhook(test, `${receiver.url}/standard`, { topics });
  const { id, key } = await addKey(test);
  const { headers, body } = await receivedAt('/cloud');
  expect(headers['content-type']).toBe('application/cloudevents+json; charset=utf-8');

  const event = HTTP.toEvent({ headers, body });
  if (!(event instanceof CloudEvent)) throw new Error('This is not a single event.');
  expect(event.validate()).toBe(true);
  expect(event).toMatchObject({
    specversion: '1.0',
    id: headers['webhook-id'],
    type: 'io.github.keyward.api-key.created',
    subject: id,
    source: `/accounts/${test.accountId}/projects/${test.projectId}`,
    accountid: test.accountId,
    projectid: test.projectId,
    data: { id, name: 'a key' },
  });
  expect(body).not.toContain(key);
  expect((await receivedAt('/standard')).body).toContain(key);

  // Both formats are signed alike, and our own SDK reads the same event from both, except for the key value.
  expect(new Webhook(hook.secret).verify(body, headers)).toMatchObject({ specversion: '1.0' });
  const verified = await verifyWebhook({ body, headers, secret: hook.secret });
  const plain = await receivedAt('/standard');
  const same = await verifyWebhook({ ...plain, secret: standard.secret });
  expect(verified).toEqual({ ...same, data: { ...same.data, key: expect.stringMatching(/\*+$/) } });
});

it('never sends a key value in a CloudEvent, even if the format is changed while a delivery waits', async () => {
  receiver.statuses.set('/changed', 500);
  const { id } = await addWebhook(test, `${receiver.url}/changed`);
  const { key } = await addKey(test, 'another key');
  expect((await receivedAt('/changed')).body).toContain(key);
  await test.client.patch(`/webhooks/${id}`, { format: 'cloudevents' });
  receiver.statuses.delete('/changed');
  const { body: deliveries } = await test.client.get(`/webhooks/${id}/deliveries`);
  await test.client.post(`/webhooks/${id}/deliveries/${deliveries[0].id}/retry`);
  const cloudEvents = (received: readonly Received[]) =>
    received.filter((each) => each.path === '/changed' && each.body.includes('specversion'));
  await receiver.until((received) => cloudEvents(received).length > 0);
  expect(cloudEvents(receiver.received)[0]!.body).not.toContain(key);
});

it('omits projectid for an event without a project', async () => {
  const topics = ['access-key.created'];
  const path = '/account';
  await addWebhook(test, receiver.url + path, { topics, projectId: null, format: 'cloudevents' });
  await test.client.post('/access-keys', { name: 'Account', scopes: ['keys:read'] });
  const event = HTTP.toEvent(await receivedAt(path));
  expect(event).toMatchObject({ source: `/accounts/${test.accountId}` });
  expect(event).not.toHaveProperty('projectid');
});
