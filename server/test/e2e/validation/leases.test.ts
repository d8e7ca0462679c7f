import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createIds } from '../../../src/kernel/ids.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { createOtherAccount } from '../other-account.ts';

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
  it('takes at most what is left in the window, and says when the window ends', async () => {
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

  it('is refused like any validation', async () => {
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

describe('leases of a client that knows policies', () => {
  const limit = (name: string, rateLimit: number, others: object = {}) => ({
    ...{ name, rateLimit, rateLimitTtl: 60, algorithm: 'fixed', mode: 'enforce' },
    ...others,
  });
  const create = async (body: object) =>
    (await test.client.post('/api-keys', { name: 'Key', projectId: test.projectId, ...body })).body;
  const leases = (key: string, body: object = {}) =>
    test.client.post('/api-keys/auth', { key, lease: 5, policies: true, ...body });
  const left = async (key: string) => {
    const { body } = await test.client.post('/api-keys/auth', { key, cost: 0 });
    return body.rateLimits?.map((each: { remaining: number }) => each.remaining);
  };

  it('are one for each counter, with what identifies plan, customer and pool', async () => {
    const { body: plan } = await test.client.post('/plans', {
      name: 'Plan',
      projectId: test.projectId,
      limits: [limit('minute', 8, { algorithm: 'sliding', mode: 'shadow' })],
    });
    const { id, key } = await create({
      customAccountId: 'acme',
      planId: plan.id,
      limits: [limit('all', 100, { per: 'customer' })],
      rateLimitConfigs: { rateLimit: 10, rateLimitTtl: 60 },
      credits: { remaining: 1_000 },
    });
    const { status, body } = await leases(key);
    expect(status).toBe(200);
    const customer = expect.stringMatching(/^cst_[\w-]{22}$/);
    const leaseOf = (consumed: number) => ({
      ...{ id: expect.stringMatching(/^lse_/), granted: 5, consumed, resetInMs: 60_000 },
    });
    expect(body).toEqual({
      record: expect.objectContaining({ id }),
      behindMs: expect.any(Number),
      expiresInMs: null,
      lease: null,
      now: test.clock.now,
      planId: plan.id,
      customer,
      limits: [
        {
          ...{ name: 'default', counter: expect.stringMatching(`^cst_.*:${id}:default$`) },
          ...{ limit: 10, rateLimitTtl: 60, algorithm: 'fixed', mode: 'enforce' },
          lease: leaseOf(5),
        },
        {
          ...{ name: 'minute', counter: expect.stringMatching(`^cst_.*:${id}:minute$`) },
          ...{ limit: 8, rateLimitTtl: 60, algorithm: 'sliding', mode: 'shadow' },
          lease: leaseOf(5),
        },
        {
          ...{ name: 'all', counter: `${body.customer}:all` },
          ...{ limit: 100, rateLimitTtl: 60, algorithm: 'fixed', mode: 'enforce' },
          lease: leaseOf(5),
        },
      ],
      credits: {
        pool: `${test.projectId}:key:${id}`,
        remaining: 1_000,
        nextRefillAt: null,
        lease: { id: expect.stringMatching(/^lse_/), granted: 5, endsInMs: 30_000 },
      },
    });
  });

  it('have the requested amounts, and none is granted if less is left than is needed', async () => {
    const { key } = await create({
      limits: [limit('a', 10), limit('b', 20)],
      credits: { remaining: 100 },
    });
    const wanted = (a: number, needed: number) => ({
      limits: [
        { name: 'a', amount: a, needed },
        { name: 'b', amount: 0, needed: 0 },
      ],
      credits: { amount: 3, needed: 3 },
    });
    const { body } = await leases(key, { leases: wanted(7, 4) });
    expect(
      body.limits.map((each: { lease: { granted: number } | null }) => each.lease?.granted),
    ).toEqual([7, undefined]);
    expect(body.credits.lease.granted).toBe(3);
    const refused = await leases(key, { cost: 4, leases: wanted(7, 4) });
    expect([refused.status, refused.body.code, refused.body.limit]).toEqual([
      429,
      'rate_limited',
      'a',
    ]);
    expect(refused.headers.get('ratelimit-remaining')).toBe('3');
    expect(refused.headers.get('credits-remaining')).toBe('100');
    expect(await left(key)).toEqual([3, 20]);
    const partly = await leases(key, { cost: 4, leases: wanted(7, 3) });
    expect(partly.body.limits[0].lease.granted).toBe(3);
    const poor = { limits: [], credits: { amount: 99, needed: 98 } };
    const exhausted = await leases(key, { cost: 20, leases: poor });
    expect(exhausted.body.code).toBe('rate_limited');
    const ahead = await leases(key, { cost: 0, leases: wanted(5, 0) });
    expect(ahead.body.limits[0].lease).toMatchObject({ granted: 0, consumed: 10 });
  });

  it('are granted although a limit in shadow mode has less than is needed', async () => {
    const { key } = await create({ limits: [limit('a', 2, { mode: 'shadow' }), limit('b', 10)] });
    const { status, body } = await leases(key, { cost: 3 });
    expect(status).toBe(200);
    expect(body.limits).toMatchObject([
      { name: 'a', mode: 'shadow', lease: { granted: 2 } },
      { name: 'b', lease: { granted: 5 } },
    ]);
  });

  it('are refused if too few credits are left, and take nothing from limits', async () => {
    const { key } = await create({ limits: [limit('a', 10)], credits: { remaining: 2 } });
    const refused = await leases(key, { cost: 3 });
    expect([refused.status, refused.body.code]).toEqual([429, 'credits_exhausted']);
    expect(refused.body.credits).toEqual({ remaining: 2, nextRefillAt: null });
    expect(await left(key)).toEqual([10]);
  });

  it('are returned to their counters and pools only by a caller that has access to the key', async () => {
    const { id, key } = await create({
      customAccountId: 'returns',
      limits: [limit('all', 100, { per: 'customer' }), limit('own', 100)],
      credits: { remaining: 1_000 },
    });
    const { body } = await leases(key, { lease: 50 });
    const theirs = await createOtherAccount(test);
    const returned = [
      ...body.limits.map((each: { counter: string; lease: { id: string } }) => ({
        ...{ keyId: id, leaseId: each.lease.id, unused: 40, counter: each.counter },
      })),
      { keyId: id, leaseId: body.credits.lease.id, unused: 40, pool: body.credits.pool },
    ];
    const send = async (client = test.client, leases = returned) =>
      (await client.post('/api-keys/leases/return', { leases })).body.returned;
    expect(await send(theirs.client)).toBe(0);
    const { body: theirKey } = await theirs.client.post('/api-keys', { name: 'Theirs' });
    expect(theirKey.id).toMatch(/^key_/);
    const withTheirKey = returned.map((lease) => ({ ...lease, keyId: theirKey.id }));
    expect(await send(theirs.client, withTheirKey)).toBe(0);
    const { body: other } = await test.client.post('/projects', { name: 'Other' });
    const { body: access } = await test.client.post('/access-keys', {
      name: 'Of another project',
      projectId: other.id,
    });
    expect(await send(test.client.as(access.key))).toBe(0);
    expect(await send()).toBe(120);
    expect(await send()).toBe(0);
    expect(await left(key)).toEqual([90, 90]);
    const { body: record } = await test.client.get(`/api-keys/${id}`);
    expect(record.credits.remaining).toBe(990);
    const odd = [{ keyId: id, leaseId: ids('lse'), unused: 1, pool: 'no pool' }];
    expect((await test.client.post('/api-keys/leases/return', { leases: odd })).body).toEqual({
      returned: 0,
    });
  });

  it('cannot be returned with the name of a node or of a field in Redis as lease id', async () => {
    const { id, key } = await create({ limits: [limit('a', 10)], credits: { remaining: 100 } });
    const { body } = await leases(key);
    await test.client.post(`/api-keys/auth/${key}`);
    const blocks = await test.storage.read.selectFrom('credit_blocks').select('node').execute();
    const names = ['embedded', 'c', 'r', 'p', 'w', ...blocks.map(({ node }) => node)].filter(
      (name) => name !== body.credits.lease.id,
    );
    const { counter } = body.limits[0];
    const { pool } = body.credits;
    const returned = names.flatMap((leaseId) => [
      { keyId: id, leaseId, unused: 0, pool },
      { keyId: id, leaseId, unused: 5, counter },
    ]);
    for (const some of [returned, returned.slice(0, 1)]) {
      const response = await test.client.post('/api-keys/leases/return', { leases: some });
      expect([response.status, response.body]).toEqual([200, { returned: 0 }]);
    }
    expect(await left(key)).toEqual([4]);
    const { body: record } = await test.client.get(`/api-keys/${id}`);
    expect(record.credits.remaining).toBe(99);
  });

  it.each([
    { lease: 1, leases: { limits: [] }, policies: false },
    { leases: { limits: [] }, policies: true },
    { lease: 1, policies: true, leases: { limits: [{ name: 'a', amount: -1, needed: 0 }] } },
    { lease: 1, policies: true, leases: { others: [] } },
  ])('with an invalid request are a 400: %o', async (body) => {
    const response = await test.client.post('/api-keys/auth', { key: 'some-value', ...body });
    expect(response.status).toBe(400);
  });
});
