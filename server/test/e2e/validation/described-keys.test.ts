import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { createOtherAccount } from '../other-account.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

const create = async (body: object = {}) =>
  (await test.client.post('/api-keys', { name: 'Key', projectId: test.projectId, ...body })).body;
const describeKeys = (keys: readonly unknown[], body: object = {}, client = test.client) =>
  client.post('/api-keys/auth', { keys, lease: 0, policies: true, ...body });
const outcomes = () => ({ ...test.app.validator.outcomes });

it('has for each key what a lease has, without leases, in the order of the request', async () => {
  const { body: plan } = await test.client.post('/plans', {
    name: 'Plan',
    projectId: test.projectId,
    limits: [{ name: 'day', rateLimit: 9, rateLimitTtl: 60, algorithm: 'sliding' }],
    allowedIPs: ['203.0.113.0/24'],
    permissions: ['a.*'],
  });
  const plain = await create({ expiry: new Date(test.clock.now + 5_000).toISOString() });
  const limited = await create({
    planId: plan.id,
    customAccountId: 'acme',
    allowedDomains: ['a.example'],
    rateLimitConfigs: { rateLimit: 1, rateLimitTtl: 60 },
  });
  const { status, body } = await describeKeys([limited.key, plain.key]);
  expect(status).toBe(200);
  const leased = await test.client.post(
    '/api-keys/auth',
    { key: limited.key, lease: 1, policies: true },
    { 'x-origin-domain': 'a.example' },
  );
  const limits = leased.body.limits.map((each: object) => ({ ...each, lease: null }));
  const { behindMs } = body[0];
  expect(body).toEqual([
    { ...leased.body, behindMs, limits },
    {
      record: expect.objectContaining({ id: plain.id }),
      behindMs: expect.any(Number),
      expiresInMs: 5_000,
      lease: null,
      now: test.clock.now,
    },
  ]);
  expect(body[0]).toMatchObject({ planId: plan.id, allowedIPs: ['203.0.113.0/24'] });
});

it('refuses keys as a validation does, counts no use, and takes nothing', async () => {
  const other = await createOtherAccount(test);
  const foreign = (await other.client.post('/api-keys', { name: 'Theirs' })).body;
  const revoked = await create();
  await test.client.delete(`/api-keys/${revoked.id}`);
  const expired = await create({ expiry: new Date(test.clock.now + 1).toISOString() });
  const limited = await create({ rateLimitConfigs: { rateLimit: 1, rateLimitTtl: 60 } });
  const paid = await create({ credits: { remaining: 1 } });
  test.clock.now += 1;
  const before = outcomes();
  const keys = [revoked, expired, foreign, limited, paid].map(({ key }) => key);
  const { body } = await describeKeys([...keys, 'never-issued', '']);
  const refusal = (code: string) => ({ valid: false, statusCode: 404, code });
  expect(body).toEqual([
    refusal('key_revoked'),
    refusal('key_expired'),
    refusal('key_not_found'),
    expect.objectContaining({ limits: [expect.objectContaining({ lease: null })] }),
    {
      valid: true,
      statusCode: 200,
      code: 'valid',
      record: expect.objectContaining({ id: paid.id }),
    },
    refusal('key_not_found'),
    refusal('key_malformed'),
  ]);
  // Only values that are nobody's keys are counted.
  const { key_not_found: unknown, key_malformed: malformed } = before;
  expect(outcomes()).toEqual({
    ...before,
    key_not_found: unknown + 2,
    key_malformed: malformed + 1,
  });
  await test.app.tally.flush();
  for (const { id } of [revoked, expired, limited, paid]) {
    const totals = await test.client.get(`/analytics/api-key-totals?key=${id}`);
    expect(totals.body[0].total).toBe(0);
    expect((await test.client.get(`/api-keys/${id}`)).body.firstUsedAt).toBeNull();
  }
  for (const { key } of [limited, paid])
    expect((await test.client.post('/api-keys/auth', { key })).status).toBe(200);
});

it('does not describe keys of other projects to an access key of one project', async () => {
  const { body: project } = await test.client.post('/projects', { name: 'Other' });
  const { body: access } = await test.client.post('/access-keys', {
    name: 'one project',
    projectId: project.id,
    scopes: ['keys:validate'],
  });
  const { key } = await create();
  const { body } = await describeKeys([key], {}, test.client.as(access.key));
  expect(body).toEqual([{ valid: false, statusCode: 404, code: 'key_not_found' }]);
});

it('describes 1,000 keys, and rejects a larger response than 16 MB', async () => {
  const customMetaData = { text: 'x'.repeat(16_000) };
  const { key } = await create({ customMetaData });
  expect((await describeKeys(Array.from({ length: 950 }, () => key))).body).toHaveLength(950);
  const rejected = await describeKeys(Array.from({ length: 1_000 }, () => key));
  expect(rejected).toMatchObject({ status: 413, body: { code: 'batch_too_large' } });
});

it.each([
  ['a lease', { lease: 1 }],
  ['no lease', { lease: undefined }],
  ['no policies', { policies: undefined }],
  ['policies: false', { policies: false }],
  ['permissions', { permissions: 'a' }],
  ['an address', { clientIP: '203.0.113.7' }],
  ['a cost', { cost: 1 }],
  ['leases', { leases: {} }],
  ['requirements of a key', { keys: [{ key: 'some-value', permissions: 'a' }] }],
])('cannot be combined with %s', async (name, fields) => {
  const { status, body } = await describeKeys(['some-value'], fields);
  // Without a lease it is an ordinary batch.
  if (name === 'no lease') expect(body).toMatchObject([{ code: 'key_not_found' }]);
  else expect([status, body.code]).toEqual([400, 'invalid_body']);
});
