import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

const create = async (body: object = {}) =>
  (await test.client.post('/api-keys', { name: 'Key', ...body })).body;
const rotate = (key: string, body?: object) => test.client.post(`/api-keys/${key}/rotate`, body);
const validate = (key: string) => test.client.post(`/api-keys/auth/${key}`);
const iso = (ms: number) => new Date(ms).toISOString();

describe('rotating an API key', () => {
  it('without grace: the old value is invalid immediately, and the new record has the same fields', async () => {
    const old = await create({
      customMetaData: { plan: 'pro' },
      customAccountId: 'a',
      customUserId: 'u',
      expiry: '2031-01-01',
      rateLimitConfigs: { rateLimit: 100, rateLimitTtl: 60 },
      clientIP: '192.0.2.1',
    });
    expect((await validate(old.key)).status).toBe(200);
    test.clock.now += 1000;
    const { status, body } = await rotate(old.key);
    expect(status).toBe(201);
    expect(body).toEqual({
      ...old,
      id: body.id,
      key: body.key,
      creationContext: {},
      createdAt: iso(test.clock.now),
      updatedAt: iso(test.clock.now),
      rotatedFrom: old.id,
    });
    expect(body.id).not.toBe(old.id);
    expect((await validate(old.key)).body.code).toBe('key_revoked');
    expect((await validate(body.key)).body.id).toBe(body.id);
  });

  it('with grace: both are valid until it ends, to the millisecond', async () => {
    const old = await create();
    const { body } = await rotate(old.id, { graceSeconds: 60 });
    test.clock.now += 59_999;
    expect((await validate(old.key)).body.expiresAt).toBe(iso(test.clock.now + 1));
    test.clock.now += 1;
    expect((await validate(old.key)).body.code).toBe('key_expired');
    expect((await validate(body.key)).body.expiresAt).toBeNull();
  });

  it('links the old and the new key in responses, lists and the audit log', async () => {
    const ofKey = async (id: string) => {
      const { body } = await test.client.get(`/api-keys/${id}`);
      return [body.rotatedFrom, body.rotatedTo];
    };
    const first = await create({ name: 'Chain' });
    expect([first.rotatedFrom, first.rotatedTo]).toEqual([null, null]);
    const { body: second } = await rotate(first.id, { graceSeconds: 60 });
    const { body: third } = await rotate(second.id);
    expect(await ofKey(first.id)).toEqual([null, second.id]);
    expect(await ofKey(second.id)).toEqual([first.id, third.id]);
    expect(await ofKey(third.id)).toEqual([second.id, null]);
    const { body: listed } = await test.client.get('/api-keys?name=Chain&order=ascending');
    expect(listed.map(({ rotatedTo }: { rotatedTo: string | null }) => rotatedTo)).toEqual([
      second.id,
      third.id,
      null,
    ]);
    const { body: log } = await test.client.get(`/audit-logs?target=${second.id}`);
    expect(
      log.map(({ before, after }: Record<string, Record<string, unknown>>) => [
        before?.rotatedTo,
        after?.rotatedTo,
        after?.rotatedFrom,
      ]),
    ).toEqual([
      [null, third.id, first.id],
      [undefined, null, first.id],
    ]);
    // The response of a validation does not contain these fields.
    const { body: validated } = await validate(third.key);
    expect(Object.keys(validated).filter((name) => name.startsWith('rotated'))).toEqual([]);
    // rotatedTo names the latest successor; rotatedFrom of the earlier one does not change.
    const { body: other } = await rotate(first.id);
    expect(await ofKey(first.id)).toEqual([null, other.id]);
    expect(await ofKey(second.id)).toEqual([first.id, third.id]);
  });

  it('never extends the expiry of the old key', async () => {
    const expiry = iso(test.clock.now + 10_000);
    const old = await create({ expiry });
    const { body } = await rotate(old.id, { graceSeconds: 60 });
    expect((await test.client.get(`/api-keys/${old.id}`)).body.expiresAt).toBe(expiry);
    expect(body.expiresAt).toBe(expiry);
    test.clock.now += 10_000;
    expect((await validate(old.key)).body.code).toBe('key_expired');
  });

  it('again during the grace period keeps the expiry of the key, not the end of the grace period', async () => {
    const old = await create({});
    await rotate(old.id, { graceSeconds: 60 });
    expect((await rotate(old.id, { graceSeconds: 60 })).body.expiresAt).toBeNull();
    const expiry = iso(test.clock.now + 86_400_000);
    const limited = await create({ expiry });
    await rotate(limited.id, { graceSeconds: 60 });
    expect((await rotate(limited.id, { graceSeconds: 60 })).body.expiresAt).toBe(expiry);
    // Also if the successor was rotated with a grace period.
    const chained = await create({ expiry });
    const { body: successor } = await rotate(chained.id, { graceSeconds: 60 });
    await rotate(successor.id, { graceSeconds: 30 });
    expect((await rotate(chained.id, { graceSeconds: 60 })).body.expiresAt).toBe(expiry);
    const { body: accessKey } = await test.client.post('/access-keys', { name: 'Access' });
    const path = `/access-keys/${accessKey.id}/rotate`;
    await test.client.post(path, { graceSeconds: 60 });
    const again = await test.client.post(path, { graceSeconds: 60 });
    expect([again.status, again.body.expiresAt]).toEqual([201, null]);
  });

  it('counts both keys in one window, and each applies its own limit', async () => {
    const old = await create({ rateLimitConfigs: { rateLimit: 4, rateLimitTtl: 60 } });
    const consumed = async (key: string) => {
      const { status, headers } = await validate(key);
      return [status, headers.get('ratelimit-consumed'), headers.get('ratelimit-limit')];
    };
    expect(await consumed(old.key)).toEqual([200, '1', '4']);
    const { body } = await rotate(old.id, { graceSeconds: 600 });
    expect(await consumed(body.key)).toEqual([200, '2', '4']);
    expect(await consumed(old.key)).toEqual([200, '3', '4']);
    await test.client.patch(`/api-keys/${body.id}`, {
      name: 'Key',
      rateLimitConfigs: { rateLimit: 3, rateLimitTtl: 60 },
    });
    expect(await consumed(body.key)).toEqual([429, '3', '3']);
    expect(await consumed(old.key)).toEqual([200, '4', '4']);
    expect(await consumed(old.key)).toEqual([429, '4', '4']);
  });

  it('is rejected if the key is revoked or expired', async () => {
    const revoked = await create();
    await test.client.delete(`/api-keys/${revoked.id}`);
    const expired = await create({ expiry: iso(test.clock.now + 1) });
    test.clock.now += 1;
    for (const { id } of [revoked, expired]) {
      const refused = await rotate(id);
      expect([refused.status, refused.body.code]).toEqual([409, 'key_inactive']);
    }
  });

  it('is a 409 during the grace period if the successor has expired', async () => {
    const old = await create();
    const { body: successor } = await rotate(old.id, { graceSeconds: 60 });
    const expiry = iso(test.clock.now - 1);
    const updated = await test.client.patch(`/api-keys/${successor.id}`, { name: 'Key', expiry });
    expect(updated.status).toBe(200);
    const refused = await rotate(old.id);
    expect([refused.status, refused.body.code]).toEqual([409, 'key_inactive']);
    expect(refused.body.message).toContain('The key that replaced this one has expired');
    expect((await validate(old.key)).status).toBe(200);
  });

  it.each([-1, 1.5, 2_592_001, '60', null])('graceSeconds %j is a 400', async (graceSeconds) => {
    const { id, key } = await create();
    const refused = await rotate(id, { graceSeconds });
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_body']);
    expect(refused.body.message).toContain('graceSeconds');
    expect((await validate(key)).status).toBe(200);
  });

  it('accepts no body, an empty object, or 30 days', async () => {
    const first = (await rotate((await create()).id, {})).body;
    const { status } = await rotate(first.id, { graceSeconds: 2_592_000 });
    expect(status).toBe(201);
  });
});

describe('rotating an access key', () => {
  it('without grace refuses the old one immediately, with grace when the grace period ends', async () => {
    const { body: old } = await test.client.post('/access-keys', {
      name: 'Rotated',
      scopes: ['keys:read'],
    });
    const { body: second } = await test.client.post(`/access-keys/${old.id}/rotate`);
    expect(second).toMatchObject({ name: 'Rotated', scopes: ['keys:read'], projectId: null });
    expect((await test.client.as(old.key).get('/api-keys')).body.code).toBe('credential_revoked');
    const { body: third } = await test.client.post(`/access-keys/${second.id}/rotate`, {
      graceSeconds: 10,
    });
    expect((await test.client.as(second.key).get('/api-keys')).status).toBe(200);
    test.clock.now += 10_000;
    expect((await test.client.as(second.key).get('/api-keys')).body.code).toBe(
      'credential_expired',
    );
    expect((await test.client.as(third.key).get('/api-keys')).status).toBe(200);
  });

  it('links the old and the new one', async () => {
    const made = (await test.client.post('/access-keys', { name: 'Access' })).body;
    expect(made).toMatchObject({ rotatedFrom: null, rotatedTo: null });
    const next = (await test.client.post(`/access-keys/${made.id}/rotate`)).body;
    expect(next).toMatchObject({ rotatedFrom: made.id, rotatedTo: null });
    const { body: old } = await test.client.get(`/access-keys/${made.id}`);
    expect(old).toMatchObject({ rotatedFrom: null, rotatedTo: next.id });
  });

  it('is possible with the access key itself', async () => {
    const { body } = await test.client.post('/access-keys', { name: 'Itself' });
    const { body: next } = await test.client.as(body.key).post(`/access-keys/${body.key}/rotate`);
    expect((await test.client.as(next.key).get('/accounts')).status).toBe(200);
    expect((await test.client.as(body.key).get('/accounts')).status).toBe(401);
  });
});
