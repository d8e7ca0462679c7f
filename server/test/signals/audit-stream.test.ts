// 6 s of CPU: each test begins with a new installation, and one makes 450 changes.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createOtherAccount } from '../e2e/other-account.ts';
import { createMember } from '../harness/member.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { addWebhook, LOOPBACK } from '../webhooks/delivery-app.ts';
import { type Receiver, startReceiver } from '../webhooks/receiver.ts';

let receiver: Receiver;
let test: TestApp;
beforeEach(async () => {
  receiver = await startReceiver();
  test = await startTestApp({ webhookAllow: LOOPBACK });
  await run();
});
afterEach(async () => {
  await test.close();
  await receiver.close();
  expect(test.log.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
});

const run = async () => {
  await test.app.sealer.seal();
  await test.app.signals.run();
};
const hook = (fields: object = {}) =>
  addWebhook(test, `${receiver.url}/audit`, {
    topics: ['audit.appended'],
    projectId: null,
    ...fields,
  });
const bodies = () => receiver.received.map(({ body }) => JSON.parse(body));
const byNumber = () => bodies().sort((a, b) => a.data.number - b.data.number);

it('sends every row of the audit log once, numbered', async () => {
  await hook();
  for (let n = 0; n < 5; n++)
    await test.client.post('/api-keys', { name: `Key ${n}`, projectId: test.projectId });
  await run();
  await run();
  await receiver.until((received) => received.length === 6);
  expect(byNumber().map(({ data }) => [data.number, data.action])).toEqual([
    [1, 'webhook.created'],
    ...[2, 3, 4, 5, 6].map((number) => [number, 'api-key.created']),
  ]);
  const { body: rows } = await test.client.get('/audit-logs?limit=6');
  const { sealed: _sealed, ...record } = rows[0];
  expect(byNumber()[5].data).toEqual({ number: 6, ...record });
  expect(byNumber()[5]).toMatchObject({ type: 'audit.appended', projectId: null });
  expect(new Set(bodies().map(({ id }) => id)).size).toBe(6);
});

it('replays events by the time at which they were created, although their ids have the time of the audit rows', async () => {
  const { id } = await hook();
  for (let n = 0; n < 3; n++) {
    await test.client.post('/api-keys', { name: `Key ${n}`, projectId: test.projectId });
    test.clock.now += 3_600_000;
  }
  await run();
  await receiver.until((received) => received.length === 4);
  const range = { since: bodies()[0].timestamp };
  expect((await test.client.post(`/webhooks/${id}/replay`, range)).body.total).toBe(4);
});

it('shows events only to those who may read the audit log', async () => {
  const { id } = await hook();
  await run();
  await receiver.until((received) => received.length === 1);
  const scopes = ['webhooks:read'];
  const { key } = (await test.client.post('/access-keys', { name: 'Reader', scopes })).body;
  const path = `/webhooks/${id}/deliveries`;
  const [delivery] = (await test.client.as(key).get(path)).body;
  const refused = await test.client.as(key).get(`${path}/${delivery.id}`);
  expect([refused.status, refused.body.code]).toEqual([403, 'scope_missing']);
  expect((await test.client.get(`${path}/${delivery.id}`)).status).toBe(200);
});

it('sends events to webhooks of one person in two accounts', async () => {
  const { accountId: other } = await createOtherAccount(test);
  const accounts = [test.accountId, other];
  const memberships = accounts.map((accountId) => ({ accountId, role: 'owner' as const }));
  const person = await createMember(test, memberships);
  for (const accountId of accounts) {
    person.useAccount(accountId);
    const url = `${receiver.url}/${accountId}`;
    const topics = ['audit.appended'];
    const made = await person.post('/webhooks', { name: 'H', url, topics, projectId: null });
    expect(made.status, made.text).toBe(201);
  }
  await run();
  await receiver.until((received) => new Set(received.map(({ path }) => path)).size === 2);
});

it('continues where it stopped, in any number of steps', async () => {
  await hook();
  await run();
  const keys = Array.from({ length: 450 }, (_, n) => ({ name: `Key ${n}` }));
  for (let start = 0; start < keys.length; start += 150)
    await Promise.all(
      keys
        .slice(start, start + 150)
        .map((key) => test.client.post('/api-keys', { ...key, projectId: test.projectId })),
    );
  await run();
  await receiver.until((received) => received.length === 451);
  expect(byNumber().map(({ data }) => data.number)).toEqual(
    Array.from({ length: 451 }, (_, n) => n + 1),
  );
});

it('sends an event again on request', async () => {
  const { id } = await hook();
  await run();
  await receiver.until((received) => received.length === 1);
  const range = { since: new Date(test.clock.now - 60_000).toISOString() };
  expect((await test.client.post(`/webhooks/${id}/replay`, range)).status).toBe(201);
  await receiver.until((received) => received.length === 2);
  expect(bodies()[1]).toEqual(bodies()[0]);
});

it('sends events only to webhooks of the whole account whose authors may read the audit log', async () => {
  const refused = await test.client.post('/webhooks', {
    name: 'Project',
    url: `${receiver.url}/audit`,
    projectId: test.projectId,
    topics: ['audit.appended'],
  });
  expect([refused.status, refused.body.code]).toEqual([400, 'invalid_body']);
  const scopes = ['webhooks:read', 'webhooks:write', 'keys:write'];
  const limited = await test.client.post('/access-keys', { name: 'Limited', scopes });
  const other = test.client.as(limited.body.key);
  const wanted = { name: 'Mine', url: `${receiver.url}/audit`, projectId: null };
  expect((await other.post('/webhooks', { ...wanted, topics: ['audit.appended'] })).status).toBe(
    403,
  );

  // The author of this webhook has the scope when creating it, and loses it later.
  const auditor = await test.client.post('/access-keys', {
    name: 'Auditor',
    scopes: [...scopes, 'audit:read'],
  });
  const made = await test.client
    .as(auditor.body.key)
    .post('/webhooks', { ...wanted, topics: ['audit.appended'] });
  expect(made.status).toBe(201);
  await run();
  const deliveries = () => test.storage.read.selectFrom('deliveries').selectAll().execute();
  const before = (await deliveries()).length;
  expect(before).toBeGreaterThan(0);
  await test.client.delete(`/access-keys/${auditor.body.id}`);
  await test.client.post('/api-keys', { name: 'Unseen', projectId: test.projectId });
  await run();
  expect(await deliveries()).toHaveLength(before);
  // Nor does a replay send what was withheld.
  const path = `/webhooks/${made.body.id}`;
  const since = new Date(test.clock.now - 60_000).toISOString();
  const replay = await test.client.post(`${path}/replay`, { since });
  expect(replay.body.total).toBeGreaterThan(before);
  const replayed = async () => (await test.client.get(`${path}/replays/${replay.body.id}`)).body;
  await expect.poll(async () => (await replayed()).status).toBe('done');
  expect(await replayed()).toMatchObject({ queued: 0, total: 0 });
});
