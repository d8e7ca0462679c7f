import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isIdOf } from '../../../src/kernel/ids.ts';
import { START, startTestApp, type TestApp } from '../../harness/test-app.ts';
import { createOtherAccount } from '../other-account.ts';

let test: TestApp;
let projectId: string;
beforeAll(async () => {
  test = await startTestApp();
  projectId = test.projectId;
});
afterAll(() => test.close());

const create = async (body: object = {}) =>
  (await test.client.post('/api-keys', { name: 'Key', projectId, ...body })).body;
const validate = (key: string) => test.client.post(`/api-keys/auth/${key}`);

describe('create', () => {
  it('takes a name only, and leaves all other fields unset', async () => {
    const { status, body } = await test.client.post('/api-keys/', { name: 'Plain' });
    expect(status).toBe(201);
    expect(isIdOf('key', body.id)).toBe(true);
    expect(body).toEqual({
      id: body.id,
      projectId,
      key: body.key,
      name: 'Plain',
      customMetaData: {},
      customAccountId: null,
      customUserId: null,
      env: 'live',
      createdAt: '2030-01-01T00:00:00.000Z',
      updatedAt: '2030-01-01T00:00:00.000Z',
      isActive: true,
      expiresAt: null,
      rateLimitConfigs: null,
      creationContext: {},
      allowedDomains: null,
      planId: null,
      permissions: [],
      limits: [],
      allowedIPs: null,
      credits: null,
      startsAt: null,
      tags: [],
      firstUsedAt: null,
      lastUsedAt: null,
      rotatedFrom: null,
      rotatedTo: null,
    });
  });

  it('takes all fields', async () => {
    const body = await create({
      key: 'everything-given',
      customMetaData: { nested: { list: [1, null, 'ü', { deep: true }] }, constructor: 'fine' },
      customAccountId: 'account-7',
      customUserId: 'user-7',
      expiry: '2031-02-03',
      rateLimitConfigs: { rateLimit: 5, rateLimitTtl: 7 },
      allowedDomains: ['App.Example.com', 'app.example.com', '*.example.org'],
      clientIP: '192.0.2.1',
      clientUserAgent: 'curl/8',
    });
    expect(body).toMatchObject({
      customMetaData: { nested: { list: [1, null, 'ü', { deep: true }] }, constructor: 'fine' },
      customAccountId: 'account-7',
      customUserId: 'user-7',
      expiresAt: '2031-02-03T00:00:00.000Z',
      rateLimitConfigs: { rateLimit: 5, rateLimitTtl: 7 },
      allowedDomains: ['app.example.com', '*.example.org'],
      creationContext: { clientIP: '192.0.2.1', clientUserAgent: 'curl/8' },
    });
    const read = await test.client.get(`/api-keys/${body.id}`);
    expect(read.body).toEqual({ ...body, key: 'ever*********' });
  });

  it('takes a value once in an account, and again in another account', async () => {
    const other = await createOtherAccount(test);
    await create({ key: 'the-same-value' });
    const again = await test.client.post('/api-keys', {
      name: 'Again',
      projectId,
      key: 'the-same-value',
    });
    expect(again.status).toBe(409);
    expect(again.body.code).toBe('key_exists');
    const theirs = await other.client.post('/api-keys', { name: 'X', key: 'the-same-value' });
    expect(theirs.status).toBe(201);
    expect((await validate('the-same-value')).body.name).toBe('Key');
    expect((await other.client.post('/api-keys/auth/the-same-value')).body.name).toBe('X');
    await test.client.delete('/api-keys/the-same-value');
    expect((await validate('the-same-value')).status).toBe(404);
    expect((await other.client.post('/api-keys/auth/the-same-value')).status).toBe(200);
  });

  it('makes test keys in a test project', async () => {
    const project = await test.client.post('/projects', { name: 'Test', env: 'test' });
    const body = await create({ projectId: project.body.id });
    expect(body).toMatchObject({ env: 'test', projectId: project.body.id });
    expect(body.key).toMatch(/^test_[0-9A-Za-z]{49}$/);
    expect((await validate(body.key)).body.env).toBe('test');
  });

  it('without projectId uses the project of the access key or the only project, else is a 400', async () => {
    const second = await test.client.post('/projects', { name: 'Second' });
    const refused = await test.client.post('/api-keys', { name: 'Which?' });
    expect(refused.status).toBe(400);
    expect(refused.body.code).toBe('project_required');
    const { body: own } = await test.client.post('/access-keys', {
      name: 'Of the second',
      projectId: second.body.id,
    });
    const made = await test.client.as(own.key).post('/api-keys', { name: 'Of the second' });
    expect(made.body.projectId).toBe(second.body.id);
  });

  it('is rejected in an inactive project', async () => {
    const { body } = await test.client.post('/projects', { name: 'Gone' });
    await test.client.delete(`/projects/${body.id}`);
    const refused = await test.client.post('/api-keys', { name: 'No', projectId: body.id });
    expect([refused.status, refused.body.code]).toEqual([409, 'project_inactive']);
  });
});

describe('update', () => {
  it('requires a name, changes the given fields and keeps the others', async () => {
    const made = await create({
      customMetaData: { a: 1, b: 2 },
      customUserId: 'u',
      expiry: '2031-01-01',
    });
    const nameless = await test.client.patch(`/api-keys/${made.key}`, { customUserId: 'v' });
    expect([nameless.status, nameless.body.message]).toEqual([
      400,
      expect.stringMatching(/^name is missing/),
    ]);
    test.clock.now += 1000;
    const { body, status } = await test.client.patch(`/api-keys/${made.key}`, {
      name: 'Renamed',
      customMetaData: { c: 3 },
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      ...made,
      key: body.key,
      name: 'Renamed',
      customMetaData: { c: 3 },
      updatedAt: new Date(test.clock.now).toISOString(),
    });
    expect((await validate(made.key)).body).toMatchObject({
      name: 'Renamed',
      customMetaData: { c: 3 },
      customUserId: 'u',
    });
  });

  it('clears the fields that are null', async () => {
    const made = await create({
      expiry: '2031-01-01',
      rateLimitConfigs: { rateLimit: 1, rateLimitTtl: 1 },
      customAccountId: 'a',
      customUserId: 'u',
      allowedDomains: ['example.com'],
    });
    const cleared = {
      rateLimitConfigs: null,
      customAccountId: null,
      customUserId: null,
      allowedDomains: null,
    };
    const { body } = await test.client.patch(`/api-keys/${made.id}`, {
      name: 'Key',
      expiry: null,
      ...cleared,
    });
    expect(body).toMatchObject({ expiresAt: null, ...cleared });
    const refused = await test.client.patch(`/api-keys/${made.id}`, {
      name: 'Key',
      customMetaData: null,
    });
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_body']);
    expect(refused.body.message).toContain('customMetaData');
  });

  it('with an empty rateLimitConfigs leaves the limit as it is, also of an access key', async () => {
    const rateLimitConfigs = { rateLimit: 3, rateLimitTtl: 60 };
    for (const path of ['/api-keys', '/access-keys']) {
      const { projectId } = test;
      const input = { name: 'Limited', projectId, rateLimitConfigs };
      const { id } = (await test.client.post(path, input)).body;
      const update = (configs: unknown) =>
        test.client.patch(`${path}/${id}`, { name: 'Renamed', rateLimitConfigs: configs });
      const kept = await update({});
      expect([kept.status, kept.body.rateLimitConfigs]).toEqual([200, rateLimitConfigs]);
      const half = await update({ rateLimit: 5 });
      expect([half.status, half.body.message]).toEqual([
        400,
        'rateLimitConfigs.rateLimitTtl is missing.',
      ]);
      const unknown = await update({ limit: 5 });
      expect(unknown.status).toBe(400);
      expect((await update(null)).body.rateLimitConfigs).toBeNull();
      expect((await update({})).body.rateLimitConfigs).toBeNull();
      const created = await test.client.post(path, { ...input, rateLimitConfigs: {} });
      expect(created.status).toBe(400);
    }
  });

  it('that changes nothing does not change updatedAt', async () => {
    const made = await create({ customMetaData: { a: 1 }, expiry: '2031-01-01' });
    test.clock.now += 1000;
    const same = { name: 'Key', customMetaData: { a: 1 }, expiry: '2031-01-01T00:00:00Z' };
    const { body } = await test.client.patch(`/api-keys/${made.id}`, same);
    expect(body.updatedAt).toBe(made.updatedAt);
  });

  it('may set an expiry in the past, which expires the key', async () => {
    const made = await create();
    const { status } = await test.client.patch(`/api-keys/${made.id}`, {
      name: 'Key',
      expiry: '2029-12-31 23:59:59',
    });
    expect(status).toBe(200);
    expect((await validate(made.key)).body).toMatchObject({ statusCode: 404, code: 'key_expired' });
  });

  it('to an existing value is a conflict, and changes nothing', async () => {
    await create({ key: 'already-taken' });
    const made = await create({ name: 'Stays' });
    const refused = await test.client.patch(`/api-keys/${made.id}`, {
      name: 'Moves',
      key: 'already-taken',
    });
    expect([refused.status, refused.body.code]).toEqual([409, 'key_exists']);
    expect((await validate(made.key)).body.name).toBe('Stays');
  });
});

describe('revoke, reactivate, erase', () => {
  it('a revoked key is refused once the response arrives, and works again after reactivation', async () => {
    const { key, updatedAt } = await create();
    expect((await validate(key)).status).toBe(200);
    test.clock.now += 1000;
    expect((await test.client.delete(`/api-keys/${key}`)).body).toBe(true);
    expect((await validate(key)).body).toMatchObject({
      statusCode: 404,
      message: 'Invalid client key',
      error: 'Not Found',
      code: 'key_revoked',
    });
    const revoked = await test.client.get(`/api-keys/${key}`);
    expect(revoked.body.isActive).toBe(false);
    expect(Date.parse(revoked.body.updatedAt)).toBe(test.clock.now);
    expect(revoked.body.updatedAt).not.toBe(updatedAt);
    test.clock.now += 1000;
    const back = await test.client.patch(`/api-keys/${key}/reactivate`);
    expect(back.body).toMatchObject({ isActive: true });
    expect(Date.parse(back.body.updatedAt)).toBe(test.clock.now);
    expect((await validate(key)).body.isActive).toBe(true);
  });

  it('revoking and reactivating are idempotent: the second time nothing changes', async () => {
    const { key } = await create();
    const first = await test.client.patch(`/api-keys/${key}/reactivate`);
    test.clock.now += 1000;
    const second = await test.client.patch(`/api-keys/${key}/reactivate`);
    expect(second.body).toEqual(first.body);
    await test.client.delete(`/api-keys/${key}`);
    const revokedAt = (await test.client.get(`/api-keys/${key}`)).body.updatedAt;
    test.clock.now += 1000;
    expect((await test.client.delete(`/api-keys/${key}`)).body).toBe(true);
    expect((await test.client.get(`/api-keys/${key}`)).body.updatedAt).toBe(revokedAt);
  });

  it('a reactivated expired key is refused until its expiry is changed', async () => {
    const { key } = await create({ expiry: new Date(test.clock.now + 1000).toISOString() });
    await test.client.delete(`/api-keys/${key}`);
    test.clock.now += 1000;
    const back = await test.client.patch(`/api-keys/${key}/reactivate`);
    expect([back.status, back.body.isActive]).toEqual([200, true]);
    expect((await validate(key)).body.code).toBe('key_expired');
    await test.client.patch(`/api-keys/${key}`, { name: 'Key', expiry: null });
    expect((await validate(key)).status).toBe(200);
  });

  it('an erased key is gone, and its value can be used again', async () => {
    const { id, key } = await create({ key: 'to-be-erased' });
    expect((await validate(key)).status).toBe(200);
    expect((await test.client.delete(`/api-keys/${id}?permanent=true`)).body).toBe(true);
    expect((await validate(key)).body.code).toBe('key_not_found');
    for (const name of [id, key])
      for (const response of [
        await test.client.get(`/api-keys/${name}`),
        await test.client.patch(`/api-keys/${name}/reactivate`),
        await test.client.delete(`/api-keys/${name}?permanent=true`),
      ])
        expect([response.status, response.body.message]).toEqual([404, 'Invalid client key']);
    expect((await create({ key: 'to-be-erased' })).key).toBe('to-be-erased');
    expect((await validate(key)).status).toBe(200);
  });

  it('permanent=false only revokes, and anything else is a 400', async () => {
    const { id } = await create();
    expect((await test.client.delete(`/api-keys/${id}?permanent=false`)).body).toBe(true);
    expect((await test.client.get(`/api-keys/${id}`)).status).toBe(200);
    const refused = await test.client.delete(`/api-keys/${id}?permanent=yes`);
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_query']);
  });
});

describe('paths', () => {
  it('accept a value or an id, with or without a trailing slash', async () => {
    const { id, key } = await create();
    for (const path of [`/api-keys/${id}`, `/api-keys/${key}`, `/api-keys/${id}/`])
      expect((await test.client.get(path)).body.id).toBe(id);
    expect((await test.client.patch(`/api-keys/${key}/reactivate/`)).status).toBe(200);
    expect((await test.client.post(`/api-keys/auth/${key}/`)).status).toBe(200);
    expect((await test.client.get('/api-keys/?limit=1')).status).toBe(200);
  });

  it('of validations accept values only', async () => {
    const { id } = await create();
    for (const response of [
      await validate(id),
      await test.client.post('/api-keys/auth', { key: id }),
      await test.client.post('/auth/authenticate', { credentials: { api_key: id } }),
    ])
      expect([response.status, response.body.message]).toEqual([404, 'Invalid client key']);
  });

  it('a validation changes firstUsedAt and lastUsedAt, never updatedAt', async () => {
    const made = await create();
    test.clock.now += 1000;
    const usedAt = new Date(test.clock.now).toISOString();
    const validated = await validate(made.key);
    expect(validated.body).not.toHaveProperty('firstUsedAt');
    expect(validated.body).not.toHaveProperty('lastUsedAt');
    const read = async () => (await test.client.get(`/api-keys/${made.id}`)).body;
    await expect.poll(async () => (await read()).lastUsedAt).toBe(usedAt);
    test.clock.now += 1000;
    const usedAgainAt = new Date(test.clock.now).toISOString();
    await validate(made.key);
    await expect.poll(async () => (await read()).lastUsedAt).toBe(usedAgainAt);
    const body = await read();
    expect(body).toEqual({
      ...made,
      key: body.key,
      firstUsedAt: usedAt,
      lastUsedAt: usedAgainAt,
    });
    expect(test.clock.now).toBeGreaterThan(START);
  });
});
