import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMember } from '../harness/member.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import type { TestClient } from '../harness/test-client.ts';
import { LOOPBACK } from './delivery-app.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const HEADERS = { authorization: 'Bearer of-the-owner', 'x-team': 'blue-green' };

let app: TestApp;
let receiver: Receiver;
let paths = 0;

beforeAll(async () => {
  receiver = await startReceiver();
  app = await startTestApp({ webhookAllow: LOOPBACK });
});
afterAll(async () => {
  await receiver.close();
  await app.close();
});

type Caller = Pick<TestClient, 'get' | 'post' | 'patch' | 'delete'>;

async function withScopes(...scopes: string[]): Promise<TestClient & { id: string }> {
  const { body } = await app.client.post('/access-keys', { name: 'Limited', scopes });
  return { ...app.client.as(body.key), id: body.id };
}

async function create(caller: Caller, fields: object = {}) {
  const url = `${receiver.url}/hook/${++paths}`;
  const topics = ['project.updated'];
  const { status, body, text } = await caller.post('/webhooks', {
    name: 'W',
    url,
    topics,
    ...fields,
  });
  expect(status, text).toBe(201);
  return body;
}

const rotate = (caller: Caller, id: string) => caller.post(`/webhooks/${id}/rotate-secret`);

const statusAndCode = ({ status, body }: { status: number; body: { code?: string } }) => [
  status,
  body.code,
];
const REFUSED = [403, 'scope_missing'];

describe('the secret of a webhook', () => {
  it('is not rotated by a caller with fewer rights than its creator', async () => {
    const { id, secret } = await create(app.client);
    const low = await withScopes('webhooks:read', 'webhooks:write');
    const refused = await rotate(low, id);
    expect(statusAndCode(refused)).toEqual(REFUSED);
    expect(refused.body.message).toMatch(/^To rotate the secret, .* You lack the scope /);
    expect(refused.text).not.toContain('whsec_');
    for (const path of ['/webhooks', `/webhooks/${id}`, `/webhooks/${id}/deliveries`])
      expect((await low.get(path)).text).not.toContain(secret);
    // Nothing has changed: the creator can still rotate it.
    expect((await rotate(app.client, id)).status).toBe(200);
  });

  it('is rotated by its creator, and by callers with the same rights where the webhook is', async () => {
    const low = await withScopes('webhooks:write', 'keys:read');
    const peer = await withScopes('webhooks:write', 'keys:read', 'keys:write');
    const admin = await createMember(app, [{ accountId: app.accountId, role: 'admin' }]);
    const less = await withScopes('webhooks:write');
    expect((await rotate(low, (await create(low)).id)).status).toBe(200);
    expect((await rotate(peer, (await create(low)).id)).status).toBe(200);
    expect((await rotate(admin, (await create(app.client)).id)).status).toBe(200);
    expect(statusAndCode(await rotate(less, (await create(low)).id))).toEqual(REFUSED);
    const ofProject = await app.client.post('/access-keys', {
      name: 'Of the project',
      projectId: app.projectId,
    });
    const { id } = await create(app.client, { projectId: app.projectId });
    expect((await rotate(app.client.as(ofProject.body.key), id)).status).toBe(200);
  });

  it('is not rotated by a caller who first takes the webhook over, or sets every setting', async () => {
    const low = await withScopes('webhooks:write');
    const taken = await create(app.client);
    expect((await low.patch(`/webhooks/${taken.id}`, { takeOver: true })).status).toBe(200);
    expect(statusAndCode(await rotate(low, taken.id))).toEqual(REFUSED);

    const { id, url } = await create(app.client);
    const there = {
      url: `${url}/elsewhere`,
      httpMethod: 'PUT',
      topics: ['plan.updated'],
      projectId: app.projectId,
      customHeaders: { 'x-a': 'new' },
    };
    const back = { url, httpMethod: 'POST', topics: ['project.updated'], projectId: null };
    for (const change of [there, { ...back, customHeaders: {} }])
      expect((await low.patch(`/webhooks/${id}`, change)).status).toBe(200);
    const { body } = await app.client.get(`/webhooks/${id}`);
    expect(new Set(Object.values(body.setBy))).toEqual(new Set([low.id]));
    expect(statusAndCode(await rotate(low, id))).toEqual(REFUSED);
  });

  it('belongs to the one who takes the webhook over with at least the same rights', async () => {
    const few = await withScopes('webhooks:write');
    const more = await withScopes('webhooks:write', 'analytics:read');
    const { id } = await create(few);
    expect((await more.patch(`/webhooks/${id}`, { takeOver: true })).status).toBe(200);
    expect(statusAndCode(await rotate(few, id))).toEqual(REFUSED);
    expect((await rotate(more, id)).status).toBe(200);
  });

  it('stays with the successor of a rotated access key', async () => {
    const creator = await withScopes('webhooks:write', 'audit:read');
    const { id } = await create(creator);
    const { body } = await app.client.post(`/access-keys/${creator.id}/rotate`);
    const low = await withScopes('webhooks:write');
    expect(statusAndCode(await rotate(low, id))).toEqual(REFUSED);
    expect((await rotate(app.client.as(body.key), id)).status).toBe(200);
  });

  it('of a creator who is unknown or has left needs the rights of an admin', async () => {
    const creator = await withScopes('webhooks:write');
    const left = await create(creator);
    await app.client.delete(`/access-keys/${creator.id}`);
    const unknown = await create(app.client);
    await app.storage.transaction((tx) =>
      tx.updateTable('webhooks').set({ set_by: null }).where('id', '=', unknown.id).execute(),
    );
    const low = await withScopes('webhooks:write', 'keys:write', 'access-keys:write');
    // A change of an old webhook does not make somebody its creator.
    const change = { topics: ['project.updated'], takeOver: true };
    expect((await low.patch(`/webhooks/${unknown.id}`, change)).status).toBe(200);
    for (const { id } of [left, unknown]) {
      expect(statusAndCode(await rotate(low, id))).toEqual(REFUSED);
      expect((await rotate(app.client, id)).status).toBe(200);
    }
  });

  it('of a webhook of the previous version belongs to its only author', async () => {
    const creator = await withScopes('webhooks:write', 'audit:read');
    const { id } = await create(creator);
    const { set_by } = await app.storage.point
      .selectFrom('webhooks')
      .select('set_by')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const { creator: _, ...older } = JSON.parse(set_by!);
    await app.storage.transaction((tx) =>
      tx
        .updateTable('webhooks')
        .set({ set_by: JSON.stringify(older) })
        .where('id', '=', id)
        .execute(),
    );
    const low = await withScopes('webhooks:write');
    expect((await low.patch(`/webhooks/${id}`, { takeOver: true })).status).toBe(200);
    expect(statusAndCode(await rotate(low, id))).toEqual(REFUSED);
    expect((await rotate(creator, id)).status).toBe(200);
  });
});

describe('the header values of someone with more rights', () => {
  const masked = async (id: string) =>
    (await app.client.get(`/webhooks/${id}`)).body.customHeaders as Record<string, string>;

  it('are not sent to another URL', async () => {
    const low = await withScopes('webhooks:write');
    const { id } = await create(app.client, { customHeaders: HEADERS });
    const path = `/webhooks/${id}`;
    const url = `${receiver.url}/hook/theirs`;
    const kept = await masked(id);
    const attempts = [
      { url },
      { url, customHeaders: kept },
      { url, takeOver: true },
      { customHeaders: { ...kept, 'x-more': 'value' } },
      { customHeaders: { authorization: kept.authorization } },
    ];
    for (const attempt of attempts)
      expect(statusAndCode(await low.patch(path, attempt)), JSON.stringify(attempt)).toEqual(
        REFUSED,
      );
    await low.patch(path, { takeOver: true });
    expect(statusAndCode(await low.patch(path, { url }))).toEqual(REFUSED);
    // With header values of their own, they can change it.
    const own = { url, customHeaders: { authorization: 'Bearer of-somebody-else' } };
    expect((await low.patch(path, own)).status).toBe(200);
    expect((await masked(id))['x-team']).toBeUndefined();
  });

  it('are not sent elsewhere after a take-over, if others set them than the creator', async () => {
    const low = await withScopes('webhooks:write');
    const { id, url: own } = await create(low);
    const path = `/webhooks/${id}`;
    const url = `${receiver.url}/hook/theirs`;
    expect((await app.client.patch(path, { customHeaders: HEADERS })).status).toBe(200);
    expect(statusAndCode(await low.patch(path, { takeOver: true }))).toEqual(REFUSED);
    expect(statusAndCode(await low.patch(path, { url }))).toEqual(REFUSED);
    const without = { takeOver: true, customHeaders: {}, url: own };
    expect((await low.patch(path, without)).status).toBe(200);
    expect((await low.patch(path, { url })).status).toBe(200);
  });

  it('are not sent elsewhere from a project where those who set them have no rights', async () => {
    const low = await withScopes('webhooks:write');
    const { body: other } = await app.client.post('/projects', { name: 'Other' });
    const ofProject = await app.client.post('/access-keys', {
      name: 'Of the project',
      projectId: app.projectId,
    });
    const author = app.client.as(ofProject.body.key);
    const fields = { projectId: app.projectId, customHeaders: HEADERS };
    const { id } = await create(author, fields);
    const path = `/webhooks/${id}`;
    expect((await low.patch(path, { projectId: other.id })).status).toBe(200);
    const url = `${receiver.url}/hook/theirs`;
    expect(statusAndCode(await low.patch(path, { url }))).toEqual(REFUSED);
    expect(statusAndCode(await rotate(low, id))).toEqual(REFUSED);
    expect((await rotate(app.client, id)).status).toBe(200);
  });

  it('are not sent with a body that the caller chooses', async () => {
    const low = await withScopes('webhooks:write');
    const { id, url } = await create(app.client, { customHeaders: HEADERS });
    const ping = { webhookId: id, url, customHeaders: await masked(id), body: { forged: true } };
    expect(statusAndCode(await low.post('/webhooks/ping', ping))).toEqual(REFUSED);
    expect(receiver.received.some(({ body }) => body.includes('forged'))).toBe(false);
    expect((await app.client.post('/webhooks/ping', ping)).body.success).toBe(true);
    expect(receiver.received.at(-1)!.headers.authorization).toBe(HEADERS.authorization);
  });

  it('are kept by callers with the same rights', async () => {
    const { id } = await create(app.client, { customHeaders: HEADERS });
    const owner = await createMember(app, [{ accountId: app.accountId, role: 'owner' }]);
    const change = { url: `${receiver.url}/hook/moved`, customHeaders: await masked(id) };
    expect((await owner.patch(`/webhooks/${id}`, change)).status).toBe(200);
  });
});

describe('the format', () => {
  it('without key values is not changed to one with them by a caller with fewer rights', async () => {
    const low = await withScopes('webhooks:write', 'keys:write');
    const fields = { topics: ['api-key.created'], format: 'cloudevents' };
    const { id } = await create(app.client, fields);
    const path = `/webhooks/${id}`;
    expect(statusAndCode(await low.patch(path, { format: 'standard' }))).toEqual(REFUSED);
    expect((await app.client.patch(path, { format: 'standard' })).status).toBe(200);
    expect((await low.patch(path, { format: 'cloudevents' })).status).toBe(200);
    const plain = await create(app.client, { format: 'cloudevents' });
    expect((await low.patch(`/webhooks/${plain.id}`, { format: 'standard' })).status).toBe(200);
  });
});
