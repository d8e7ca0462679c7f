import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { describeRoutes } from '../../../src/app/routes.ts';
import { openApiDocument } from '../../../src/http/openapi/document.ts';
import { storeEvents } from '../../harness/store-events.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

let test: TestApp;
let lastEventId = '';
beforeAll(async () => {
  test = await startTestApp();
  await storeEvents(test.client);
});
afterAll(() => test.close());

const eventRows = () =>
  test.storage.read
    .selectFrom('events')
    .selectAll()
    .where('id', '>', lastEventId)
    .orderBy('id')
    .execute();

beforeEach(async () => {
  lastEventId = (await eventRows()).at(-1)?.id ?? lastEventId;
});

/** Events emitted since the test started. */
const emitted = async () =>
  (await eventRows()).map((row) => ({
    type: row.type,
    projectId: row.project_id,
    data: JSON.parse(row.data),
  }));
const types = async () => (await emitted()).map(({ type }) => type);

const newKey = async (body: object = {}) =>
  (await test.client.post('/api-keys', { name: 'Key', projectId: test.projectId, ...body })).body;
const newAccessKey = async (body: object = {}) =>
  (await test.client.post('/access-keys', { name: 'Access', ...body })).body;

describe('API keys', () => {
  it('api-key.created: created or rotated; stored with the value masked', async () => {
    const made = await newKey();
    const rotated = (await test.client.post(`/api-keys/${made.id}/rotate`)).body;
    expect(await emitted()).toMatchObject([
      { type: 'api-key.created', projectId: test.projectId, data: { id: made.id, name: 'Key' } },
      { type: 'api-key.created', data: { id: rotated.id, rotatedFrom: made.id } },
      { type: 'api-key.deleted', data: { id: made.id, isActive: false } },
    ]);
    const text = JSON.stringify(await eventRows());
    expect(text).not.toContain(made.key);
    expect(text).not.toContain(rotated.key);
  });

  it('api-key.updated: updated, reactivated, or left to expire by a rotation', async () => {
    const { id } = await newKey();
    await test.client.patch(`/api-keys/${id}`, { name: 'Key', customMetaData: { plan: 'pro' } });
    await test.client.delete(`/api-keys/${id}`);
    await test.client.patch(`/api-keys/${id}/reactivate`);
    await test.client.post(`/api-keys/${id}/rotate`, { graceSeconds: 60 });
    expect((await types()).slice(1)).toEqual([
      'api-key.updated',
      'api-key.deleted',
      'api-key.updated',
      'api-key.created',
      'api-key.updated',
    ]);
    expect((await emitted())[1]!.data).toMatchObject({ id, customMetaData: { plan: 'pro' } });
  });

  it('api-key.deleted: revoked, and erased', async () => {
    const { id } = await newKey();
    await test.client.delete(`/api-keys/${id}`);
    await test.client.delete(`/api-keys/${id}?permanent=true`);
    expect((await types()).slice(1)).toEqual(['api-key.deleted', 'api-key.deleted']);
  });

  it('api-key.firstUsed: once, however often the key is used', async () => {
    const made = await newKey();
    const validate = () => test.client.post(`/api-keys/auth/${made.key}`);
    await Promise.all(Array.from({ length: 20 }, validate));
    await test.app.tally.flush();
    await validate();
    await test.app.tally.flush();
    const [, ...rest] = await emitted();
    expect(rest).toMatchObject([{ type: 'api-key.firstUsed', data: { id: made.id } }]);
    expect(rest[0]!.data.firstUsedAt).not.toBeNull();
    expect(JSON.stringify(rest)).not.toContain(made.key);
  });

  it('no event if nothing changed', async () => {
    const { id, key } = await newKey({ expiry: '2040-01-01' });
    const path = `/api-keys/${id}`;
    await test.client.patch(path, { name: 'Key', expiry: '2040-01-01T00:00:00Z' });
    await test.client.patch(`${path}/reactivate`);
    await test.client.get(path);
    await test.client.delete(path);
    await test.client.delete(path);
    await test.client.post(`/api-keys/auth/${key}`);
    await test.app.tally.flush();
    await test.client.post('/api-keys', { name: '' });
    await newKey({ key: 'taken-value-1' });
    await newKey({ key: 'taken-value-1' });
    expect(await types()).toEqual(['api-key.created', 'api-key.deleted', 'api-key.created']);
  });
});

describe('access keys', () => {
  it('access-key.created, .updated and .deleted, and no event if nothing changed', async () => {
    const made = await newAccessKey({ projectId: test.projectId });
    const path = `/access-keys/${made.id}`;
    await test.client.patch(path, { name: 'Access' });
    await test.client.patch(path, { name: 'Renamed' });
    await test.client.delete(path);
    await test.client.delete(path);
    await test.client.patch(`${path}/reactivate`);
    await test.client.patch(`${path}/reactivate`);
    expect(await emitted()).toMatchObject([
      { type: 'access-key.created', projectId: test.projectId, data: { id: made.id } },
      { type: 'access-key.updated', data: { name: 'Renamed' } },
      { type: 'access-key.deleted', data: { isActive: false } },
      { type: 'access-key.updated', data: { isActive: true } },
    ]);
    expect(JSON.stringify(await eventRows())).not.toContain(made.key);
  });

  it('of the account belong to no project', async () => {
    await newAccessKey();
    expect(await emitted()).toMatchObject([{ type: 'access-key.created', projectId: null }]);
  });
});

describe('projects', () => {
  it('project.updated: renamed and reactivated, but not created or deleted', async () => {
    const { id } = (await test.client.post('/projects', { name: 'Quiet' })).body;
    const path = `/projects/${id}`;
    await test.client.patch(path, { name: 'Quiet' });
    await test.client.delete(path);
    await test.client.delete(path);
    expect(await emitted()).toEqual([]);
    await test.client.patch(`${path}/reactivate`);
    await test.client.patch(`${path}/reactivate`);
    await test.client.patch(path, { name: 'Loud' });
    expect(await emitted()).toMatchObject([
      { type: 'project.updated', projectId: id, data: { id, isActive: true, name: 'Quiet' } },
      { type: 'project.updated', projectId: id, data: { name: 'Loud' } },
    ]);
  });
});

describe('recipients', () => {
  it('are live webhooks of the project and of the account with that topic', async () => {
    const other = (await test.client.post('/projects', { name: 'Other' })).body.id;
    const hook = async (body: object) =>
      (
        await test.client.post('/webhooks', {
          name: 'Hook',
          url: 'https://example.com/',
          topics: ['api-key.created', 'access-key.created'],
          ...body,
        })
      ).body.id;
    const ofProject = await hook({ projectId: test.projectId });
    const ofAccount = await hook({ projectId: null });
    const notSubscribed = [
      await hook({ projectId: other }),
      await hook({ projectId: test.projectId, status: 'paused' }),
      await hook({ projectId: test.projectId, topics: ['api-key.updated'] }),
    ];
    await newKey();
    await newAccessKey();
    const topicsSentTo = async (webhookId: string) =>
      (await test.client.get(`/webhooks/${webhookId}/deliveries`)).body.map(
        ({ topic }: { topic: string }) => topic,
      );
    expect(await topicsSentTo(ofProject)).toEqual(['api-key.created']);
    expect(await topicsSentTo(ofAccount)).toEqual(['access-key.created', 'api-key.created']);
    for (const id of notSubscribed) expect(await topicsSentTo(id)).toEqual([]);
  });
});

describe('the description', () => {
  it('has an example for every topic that matches its schema', async () => {
    const document = openApiDocument(describeRoutes()) as ReturnType<typeof JSON.parse>;
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'openapi', ...document });
    expect(Object.keys(document.webhooks)).toEqual(
      (await test.client.get('/webhooks/topics')).body,
    );
    for (const [topic, { post }] of Object.entries<ReturnType<typeof JSON.parse>>(
      document.webhooks,
    )) {
      const { schema, examples } = post.requestBody.content['application/json'];
      const check = ajv.compile({ $ref: `openapi${schema.$ref}` });
      const { value } = examples[topic];
      expect(check(value), ajv.errorsText(check.errors)).toBe(true);
      expect(check({ ...value, type: 'other' })).toBe(false);
    }
  });
});
