import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

let test: TestApp;
let other: string;
beforeAll(async () => {
  test = await startTestApp();
  other = (await test.client.post('/projects', { name: 'Other' })).body.id;
});
afterAll(() => test.close());

const storedFor = async (keyId: string): Promise<string[]> => {
  const rows = await test.storage.read.selectFrom('events').select(['type', 'data']).execute();
  return rows.filter(({ data }) => JSON.parse(data).id === keyId).map(({ type }) => type);
};

async function subscribe(fields: object = {}): Promise<string> {
  const hook = { name: 'W', url: 'https://example.com/', topics: ['api-key.created'], ...fields };
  const { status, body, text } = await test.client.post('/webhooks', hook);
  expect(status, text).toBe(201);
  return body.id;
}

/** Creates and updates a key; returns the types of the events that were stored. */
async function eventsOfNewKey(projectId = test.projectId): Promise<string[]> {
  const { id } = (await test.client.post('/api-keys', { name: 'Key', projectId })).body;
  await test.client.patch(`/api-keys/${id}`, { name: 'Renamed' });
  return storedFor(id);
}

it('an event is stored only while a webhook is subscribed to it', async () => {
  expect(await eventsOfNewKey()).toEqual([]);
  const hook = await subscribe({ projectId: test.projectId });
  expect(await eventsOfNewKey()).toEqual(['api-key.created']);
  expect(await eventsOfNewKey(other)).toEqual([]);
  // A webhook that is not live can replay the events when it is live again.
  await test.client.patch(`/webhooks/${hook}`, { status: 'paused' });
  expect(await eventsOfNewKey()).toEqual(['api-key.created']);
  await test.client.patch(`/webhooks/${hook}`, { status: 'live' });
  await test.client.delete(`/webhooks/${hook}`);
  expect(await eventsOfNewKey()).toEqual([]);
});

it('a replay contains what happened while the webhook was paused', async () => {
  const hook = await subscribe();
  const path = `/webhooks/${hook}`;
  await test.client.patch(path, { status: 'paused' });
  const since = new Date(++test.clock.now).toISOString();
  expect(await eventsOfNewKey()).toEqual(['api-key.created']);
  await test.client.patch(path, { status: 'live' });
  expect((await test.client.post(`${path}/replay`, { since })).body.total).toBe(1);
  await test.client.delete(path);
});

it('notices are stored for the mails of a project, without a webhook', async () => {
  const exhausted = async () => {
    const fields = { name: 'Paid', projectId: test.projectId, credits: { remaining: 1 } };
    const { id, key } = (await test.client.post('/api-keys', fields)).body;
    expect((await test.client.post('/api-keys/auth', { key })).status).toBe(200);
    await test.app.tally.flush();
    return storedFor(id);
  };
  expect(await exhausted()).toEqual([]);
  const notices = { mailTo: ['ops@example.com'] };
  const { status, text } = await test.client.patch(`/projects/${test.projectId}`, { notices });
  expect(status, text).toBe(200);
  expect(await exhausted()).toEqual(['credits.exhausted']);
});
