import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

const create = async (body: object = {}) =>
  (await test.client.post('/access-keys', { name: 'Access', ...body })).body;
const statusAndCode = ({ status, body }: { status: number; body: { code?: string } }) => [
  status,
  body.code,
];

describe('access keys', () => {
  it('have account level and all scopes by default', async () => {
    const { status, body } = await test.client.post('/access-keys', { name: 'All' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^ak_/),
      name: 'All',
      key: expect.stringMatching(/^account_access_[0-9A-Za-z]{49}$/),
      accountId: test.accountId,
      projectId: null,
      scopes: ['*'],
      isActive: true,
      expiresAt: null,
      rateLimitConfigs: null,
      lastUsedAt: null,
      rotatedFrom: null,
      rotatedTo: null,
      createdAt: '2030-01-01T00:00:00.000Z',
      updatedAt: '2030-01-01T00:00:00.000Z',
    });
  });

  it('of project level have the prefix of the project’s environment', async () => {
    expect((await create({ projectId: test.projectId })).key).toMatch(/^live_access_/);
    const { body } = await test.client.post('/projects', { name: 'Test', env: 'test' });
    expect((await create({ projectId: body.id })).key).toMatch(/^test_access_/);
  });

  it('accept a limit as rateLimit and rateLimitTtl, both or none', async () => {
    const made = await create({ rateLimit: 10, rateLimitTtl: 60 });
    expect(made.rateLimitConfigs).toEqual({ rateLimit: 10, rateLimitTtl: 60 });
    expect(made).not.toHaveProperty('rateLimit');
    const limit = { rateLimit: 1, rateLimitTtl: 1 };
    for (const [body, message] of [
      [{ rateLimit: 10 }, /^rateLimitTtl is missing/],
      [{ rateLimitTtl: 60 }, /^rateLimit is missing/],
      [{ ...limit, rateLimitConfigs: limit }, /^Send either rateLimitConfigs, or rateLimit/],
      [{ ...limit, rateLimitConfigs: null }, /^Send either/],
      [{ rateLimit: 0, rateLimitTtl: 60 }, /^rateLimit must be at least 1/],
    ] as const) {
      const refused = await test.client.post('/access-keys', { name: 'Access', ...body });
      expect(statusAndCode(refused)).toEqual([400, 'invalid_body']);
      expect(refused.body.message).toMatch(message);
    }
  });

  it('keep the fields that an update omits; null clears a field, and an empty body is a 400', async () => {
    const made = await create({
      scopes: ['keys:read'],
      expiry: '2031-01-01',
      rateLimitConfigs: { rateLimit: 5, rateLimitTtl: 5 },
    });
    test.clock.now += 1000;
    const { body } = await test.client.patch(`/access-keys/${made.key}`, {
      expiry: null,
      rateLimitConfigs: null,
      scopes: ['keys:read', 'keys:write'],
    });
    expect(body).toEqual({
      ...made,
      key: body.key,
      scopes: ['keys:read', 'keys:write'],
      expiresAt: null,
      rateLimitConfigs: null,
      updatedAt: new Date(test.clock.now).toISOString(),
    });
    expect(statusAndCode(await test.client.patch(`/access-keys/${made.id}`, {}))).toEqual([
      400,
      'invalid_body',
    ]);
    test.clock.now += 1000;
    const same = await test.client.patch(`/access-keys/${made.id}`, { name: 'Access' });
    expect(same.body.updatedAt).toBe(body.updatedAt);
  });

  it('use changed scopes immediately', async () => {
    const made = await create({ scopes: ['keys:read'] });
    const caller = test.client.as(made.key);
    expect((await caller.get('/api-keys')).status).toBe(200);
    await test.client.patch(`/access-keys/${made.id}`, { scopes: ['projects:read'] });
    expect(statusAndCode(await caller.get('/api-keys'))).toEqual([403, 'scope_missing']);
    expect((await caller.get('/projects')).status).toBe(200);
  });

  it('can be revoked and reactivated; the second time nothing changes', async () => {
    const made = await create();
    const caller = test.client.as(made.key);
    expect((await caller.get('/accounts')).status).toBe(200);
    expect((await test.client.delete(`/access-keys/${made.id}`)).body).toBe(true);
    expect(statusAndCode(await caller.get('/accounts'))).toEqual([401, 'credential_revoked']);
    expect((await test.client.delete(`/access-keys/${made.id}`)).body).toBe(true);
    const back = await test.client.patch(`/access-keys/${made.id}/reactivate`);
    expect(back.body.isActive).toBe(true);
    test.clock.now += 1000;
    const again = await test.client.patch(`/access-keys/${made.id}/reactivate`);
    expect(again.body.updatedAt).toBe(back.body.updatedAt);
    expect((await caller.get('/accounts')).status).toBe(200);
  });

  it('expire at their expiry, not a millisecond earlier', async () => {
    const made = await create({ expiry: new Date(test.clock.now + 1000).toISOString() });
    test.clock.now += 999;
    expect((await test.client.as(made.key).get('/accounts')).status).toBe(200);
    test.clock.now += 1;
    expect(statusAndCode(await test.client.as(made.key).get('/accounts'))).toEqual([
      401,
      'credential_expired',
    ]);
  });

  it('have the time of their last request in lastUsedAt', async () => {
    const made = await create();
    await test.client.as(made.key).get('/accounts');
    const read = async () => (await test.client.get(`/access-keys/${made.id}`)).body;
    await expect
      .poll(async () => (await read()).lastUsedAt)
      .toBe(new Date(test.clock.now).toISOString());
    expect((await read()).updatedAt).toBe(made.updatedAt);
  });

  it('are listed by project, by level and by state', async () => {
    const project = (await test.client.post('/projects', { name: 'Listed' })).body.id;
    const inside = await create({ projectId: project });
    const revoked = await create({ projectId: project });
    await test.client.delete(`/access-keys/${revoked.id}`);
    const idsOf = async (query: string): Promise<string[]> =>
      (await test.client.get(`/access-keys?${query}`)).body.map(({ id }: { id: string }) => id);
    expect(await idsOf(`projectId=${project}`)).toEqual([revoked.id, inside.id]);
    expect(await idsOf(`projectId=${project}&isActive=true`)).toEqual([inside.id]);
    expect(await idsOf(`projectId=${project}&isActive=false`)).toEqual([revoked.id]);
    const accountLevel = await idsOf(`projectId=null&accountId=${test.accountId}`);
    expect(accountLevel.length).toBeGreaterThan(0);
    expect(accountLevel).not.toContain(inside.id);
    const seenFromInside = await test.client.as(inside.key).get('/access-keys');
    expect(seenFromInside.body).toHaveLength(2);
  });
});

describe('a caller', () => {
  it('cannot grant a scope that it does not have, at creation or in an update', async () => {
    const own = await create({ scopes: ['access-keys:write', 'keys:read'] });
    const caller = test.client.as(own.key);
    const refused = [
      await caller.post('/access-keys', { name: 'All' }),
      await caller.post('/access-keys', { name: 'All', scopes: ['*'] }),
      await caller.post('/access-keys', { name: 'More', scopes: ['keys:read', 'keys:write'] }),
      await caller.patch(`/access-keys/${own.id}`, { scopes: ['*'] }),
    ];
    for (const response of refused)
      expect(statusAndCode(response)).toEqual([403, 'grant_exceeds_own']);
    const allowed = await caller.post('/access-keys', { name: 'Same', scopes: ['keys:read'] });
    expect(allowed.status).toBe(201);
  });

  it('cannot rotate or reactivate a stronger access key, or change its expiry', async () => {
    const caller = test.client.as((await create({ scopes: ['access-keys:write'] })).key);
    const stronger = await create({ expiry: new Date(test.clock.now + 1000).toISOString() });
    for (const response of [
      await caller.post(`/access-keys/${stronger.id}/rotate`),
      await caller.patch(`/access-keys/${stronger.id}/reactivate`),
      await caller.patch(`/access-keys/${stronger.id}`, { expiry: null }),
    ])
      expect(statusAndCode(response)).toEqual([403, 'grant_exceeds_own']);
    expect((await caller.delete(`/access-keys/${stronger.id}`)).body).toBe(true);
    expect((await test.client.get(`/access-keys/${stronger.id}`)).body.isActive).toBe(false);
  });

  it('cannot create or rotate an access key of a higher level', async () => {
    const { body: other } = await test.client.post('/projects', { name: 'Other' });
    const inside = await create({ projectId: test.projectId });
    const caller = test.client.as(inside.key);
    expect(
      statusAndCode(await caller.post('/access-keys', { name: 'Up', projectId: null })),
    ).toEqual([403, 'level_too_low']);
    expect(
      statusAndCode(await caller.post('/access-keys', { name: 'Aside', projectId: other.id })),
    ).toEqual([404, 'project_not_found']);
    const own = await caller.post('/access-keys', { name: 'Own' });
    expect([own.status, own.body.projectId]).toEqual([201, test.projectId]);
    const accountLevel = await create();
    expect(statusAndCode(await caller.post(`/access-keys/${accountLevel.id}/rotate`))).toEqual([
      404,
      'access_key_not_found',
    ]);
  });
});
