import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createIds } from '../../src/kernel/ids.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { createOtherAccount } from './other-account.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

const ids = createIds();
const limited = async (rateLimit: number, body: object = {}) =>
  (
    await test.client.post('/api-keys', {
      name: 'Key',
      projectId: test.projectId,
      rateLimitConfigs: { rateLimit, rateLimitTtl: 60 },
      ...body,
    })
  ).body;
const lease = (key: string, amount: number, headers = {}) =>
  test.client.post('/api-keys/auth', { key, lease: amount }, headers);
const giveBack = async (keyId: string, leaseId: string, unused: number, client = test.client) =>
  (await client.post('/api-keys/leases/return', { leases: [{ keyId, leaseId, unused }] })).body;
const remaining = async (key: string) =>
  Number((await test.client.post(`/api-keys/auth/${key}`)).headers.get('ratelimit-remaining'));

describe('a lease', () => {
  it('takes what the window has left, and returns its end', async () => {
    const { id, key } = await limited(10);
    const first = await lease(key, 7);
    expect(first.status).toBe(200);
    expect(first.body).toEqual({
      record: expect.objectContaining({
        id,
        rateLimitConfigs: { rateLimit: 10, rateLimitTtl: 60 },
      }),
      behindMs: 0,
      expiresInMs: null,
      lease: { id: expect.stringMatching(/^lse_/), granted: 7, resetInMs: 60_000 },
    });
    expect(first.text).not.toContain(key);
    expect(first.headers.get('ratelimit-remaining')).toBe('3');
    test.clock.now += 1_000;
    expect((await lease(key, 7)).body.lease).toMatchObject({ granted: 3, resetInMs: 59_000 });
    const none = await lease(key, 7);
    expect(none.status).toBe(429);
    expect(none.body.code).toBe('rate_limited');
    expect(none.headers.get('retry-after')).toBe('59');
    expect((await test.client.post(`/api-keys/auth/${key}`)).status).toBe(429);
  });

  it('is not granted for a key without a limit, which is still validated', async () => {
    const expiry = new Date(test.clock.now + 5_000).toISOString();
    const { key } = await limited(1, { rateLimitConfigs: undefined, expiry });
    expect((await lease(key, 100)).body).toMatchObject({ lease: null, expiresInMs: 5_000 });
  });

  it('is rejected like any validation', async () => {
    const revoked = await limited(5);
    await test.client.delete(`/api-keys/${revoked.id}`);
    expect((await lease(revoked.key, 5)).body.code).toBe('key_revoked');
    expect((await lease('never-issued', 5)).body.code).toBe('key_not_found');
    const bound = await limited(5, { allowedDomains: ['a.example'] });
    expect((await lease(bound.key, 5)).body.code).toBe('domain_denied');
    expect((await lease(bound.key, 5, { 'x-origin-domain': 'a.example' })).status).toBe(200);
  });

  it('is not counted as a use: the client reports uses', async () => {
    const { id, key } = await limited(3);
    await lease(key, 3);
    await lease(key, 3);
    await test.app.tally.flush();
    expect((await test.client.get(`/api-keys/${id}`)).body.firstUsedAt).toBeNull();
    const { body } = await test.client.get(`/analytics/api-key-totals?key=${id}`);
    expect(body[0].total).toBe(0);
  });

  it.each([
    { key: 'some-value', lease: 0 },
    { key: 'some-value', lease: 10_001 },
    { key: 'some-value', lease: 1.5 },
    { keys: ['some-value'], lease: 1 },
    { lease: 1 },
  ])('with an invalid request is a 400: %o', async (body) => {
    expect((await test.client.post('/api-keys/auth', body)).status).toBe(400);
  });
});

describe('returning a lease', () => {
  it('works once, up to the granted amount', async () => {
    const { id, key } = await limited(10);
    const first = (await lease(key, 6)).body.lease;
    expect(await giveBack(id, first.id, 4)).toEqual({ returned: 4 });
    expect(await giveBack(id, first.id, 4)).toEqual({ returned: 0 });
    const second = (await lease(key, 3)).body.lease;
    expect(await giveBack(id, second.id, 10_000)).toEqual({ returned: 3 });
    expect(await remaining(key)).toBe(7);
  });

  it('does nothing for an unknown lease, another key or another account', async () => {
    const [mine, otherKey] = [await limited(10), await limited(10)];
    const theirs = await createOtherAccount(test);
    const { id } = (await lease(mine.key, 6)).body.lease;
    expect(await giveBack(mine.id, ids('lse'), 6)).toEqual({ returned: 0 });
    expect(await giveBack(otherKey.id, id, 6)).toEqual({ returned: 0 });
    expect(await giveBack(ids('key'), id, 6)).toEqual({ returned: 0 });
    expect(await giveBack(mine.id, id, 6, theirs.client)).toEqual({ returned: 0 });
    const { body: other } = await test.client.post('/projects', { name: 'Other' });
    const { body: access } = await test.client.post('/access-keys', {
      name: 'Of another project',
      projectId: other.id,
    });
    expect(await giveBack(mine.id, id, 6, test.client.as(access.key))).toEqual({ returned: 0 });
    expect(await remaining(mine.key)).toBe(3);
    expect(await giveBack(mine.id, id, 6)).toEqual({ returned: 6 });
  });

  it('does nothing for a later window', async () => {
    const { id, key } = await limited(10);
    const old = (await lease(key, 6)).body.lease;
    test.clock.now += 60_000;
    await lease(key, 5);
    expect(await giveBack(id, old.id, 6)).toEqual({ returned: 0 });
    expect(await remaining(key)).toBe(4);
  });
});
