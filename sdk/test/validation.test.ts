import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../server/test/harness/test-app.ts';
import { Keyward, KeywardError, type PermissionsInput } from '../src/index.ts';

let app: TestApp;
let keyward: Keyward;

beforeAll(async () => {
  app = await startTestApp({ realClock: true });
  keyward = new Keyward(app.sdkOptions);
});
afterAll(() => app.close());

it('returns the record, and null for the limit of a key without one', async () => {
  const { key, id } = await keyward.apiKeys.create({ name: 'Ada', customAccountId: 'c-1' });
  const result = await keyward.validate(key);
  expect(result).toMatchObject({ valid: true, allowed: true, rateLimit: null });
  expect(result.record).toMatchObject({ id, customAccountId: 'c-1' });
  expect(JSON.stringify(result)).not.toContain(key);
});

it('never puts a key into a URL', async () => {
  const { key } = await keyward.apiKeys.create({ name: 'not in a log' });
  await keyward.validate(key);
  await keyward.apiKeys.validateMany([key]);
  expect(app.log.join('\n')).not.toContain(key);
});

it('returns the reason for a refusal', async () => {
  const { key, id } = await keyward.apiKeys.create({ name: 'Bob' });
  await keyward.apiKeys.revoke(id);
  expect(await keyward.validate(key)).toEqual({
    valid: false,
    allowed: false,
    record: null,
    code: 'key_revoked',
    statusCode: 404,
    rateLimit: null,
    retryAfterSeconds: null,
  });
  expect(await keyward.validate('unknown-key')).toMatchObject({ code: 'key_not_found' });
  expect(await keyward.validate(id)).toMatchObject({ valid: false });
});

it('returns the limit and the time to wait, and does not retry a refusal', async () => {
  const rateLimitConfigs = { rateLimit: 2, rateLimitTtl: 60 };
  const { key } = await keyward.apiKeys.create({ name: 'Cy', rateLimitConfigs });
  expect((await keyward.validate(key)).rateLimit).toMatchObject({ limit: 2, remaining: 1 });
  await keyward.validate(key);
  let calls = 0;
  const counting = new Keyward({
    ...app.sdkOptions,
    fetch: (input, init) => {
      calls++;
      return fetch(input, init);
    },
  });
  const limited = await counting.validate(key);
  expect(limited).toMatchObject({
    valid: false,
    code: 'rate_limited',
    statusCode: 429,
    rateLimit: { limit: 2, remaining: 0, consumed: 2 },
  });
  expect(limited.valid === false && limited.retryAfterSeconds).toBeGreaterThan(0);
  expect(calls).toBe(1);
});

it('sends the origin domain', async () => {
  const allowedDomains = ['app.example'];
  const { key } = await keyward.apiKeys.create({ name: 'Di', allowedDomains });
  expect(await keyward.validate(key)).toMatchObject({ code: 'domain_denied', statusCode: 403 });
  expect(await keyward.validate(key, { originDomain: 'app.example' })).toMatchObject({
    valid: true,
  });
  for (const originDomain of ['evil.example', 'app.example\n', 'äpp.example', '']) {
    const result = await keyward.validate(key, { originDomain, onUnavailable: 'allow' });
    expect(result, originDomain).toMatchObject({ valid: false, code: 'domain_denied' });
  }
});

it('requires permissions, and returns the missing ones', async () => {
  const { key } = await keyward.apiKeys.create({ name: 'Fay', permissions: ['documents.*'] });
  const validate = (permissions: PermissionsInput) => keyward.validate(key, { permissions });
  expect(await validate('documents.read')).toMatchObject({
    valid: true,
    record: { permissions: ['documents.*'] },
  });
  expect(await validate({ any: ['users.list', { all: ['documents.read'] }] })).toMatchObject({
    valid: true,
  });
  expect(await validate(['documents.read', 'users.list', 'users.add'])).toEqual({
    valid: false,
    allowed: false,
    record: null,
    code: 'permission_denied',
    statusCode: 403,
    rateLimit: null,
    retryAfterSeconds: null,
    missing: ['users.list', 'users.add'],
  });
});

it('sends the address of the user; text that is not an address counts as unknown', async () => {
  const { key } = await keyward.apiKeys.create({ name: 'Gus', allowedIPs: ['10.0.0.0/8'] });
  const validate = (clientIP?: string) =>
    keyward.validate(key, { clientIP, onUnavailable: 'allow' });
  expect(await validate('10.1.2.3')).toMatchObject({ valid: true });
  expect(await validate('::ffff:10.1.2.3')).toMatchObject({ valid: true });
  for (const clientIP of [undefined, '11.1.2.3', '10.1.2.3:80', '10.1.2.3, 10.1.2.4', 'fe80::1%lo'])
    expect(await validate(clientIP), clientIP).toMatchObject({
      valid: false,
      code: 'ip_denied',
      statusCode: 403,
    });
  const { key: open } = await keyward.apiKeys.create({ name: 'Hal' });
  expect(await keyward.validate(open, { clientIP: 'unknown' })).toMatchObject({ valid: true });
});

it('refuses a key before its start', async () => {
  const startsAt = new Date(Date.now() + 3_600_000).toISOString();
  const { key } = await keyward.apiKeys.create({ name: 'Ida', startsAt });
  expect(await keyward.validate(key)).toMatchObject({ code: 'key_not_started', statusCode: 404 });
});

it('sends the fields in the order that the server reads fastest', async () => {
  const bodies: unknown[] = [];
  const client = new Keyward({
    url: 'http://keyward.example',
    accessKey: 'x',
    fetch: async (_, init) => {
      bodies.push(init?.body);
      return Response.json({ code: 'key_not_found' }, { status: 404 });
    },
  });
  await client.validate('k', { clientIP: '::1', permissions: 'a.b' });
  await client.validate('k', { clientIP: '::1' });
  await client.validate('k', { permissions: ['a', 'b'] });
  await client.validate('k');
  await client.validate('k', { cost: 5, clientIP: '::1', permissions: 'a.b' });
  expect(bodies).toEqual([
    '{"key":"k","permissions":"a.b","clientIP":"::1"}',
    '{"key":"k","clientIP":"::1"}',
    '{"key":"k","permissions":["a","b"]}',
    '{"key":"k"}',
    '{"key":"k","permissions":"a.b","clientIP":"::1","cost":5}',
  ]);
});

it('takes the cost from the limit, of each key in a batch', async () => {
  const rateLimitConfigs = { rateLimit: 100, rateLimitTtl: 60 };
  const { key } = await keyward.apiKeys.create({ name: 'Kim', rateLimitConfigs });
  expect((await keyward.validate(key, { cost: 10 })).rateLimit).toMatchObject({ consumed: 10 });
  expect((await keyward.validate(key, { cost: 0 })).rateLimit).toMatchObject({ consumed: 10 });
  const batch = await keyward.apiKeys.validateMany([key, { key, cost: 7 }, { key }], { cost: 20 });
  expect(batch.map(({ rateLimit }) => rateLimit?.consumed)).toEqual([30, 37, 57]);
  const limited = await keyward.validate(key, { cost: 50 });
  expect(limited).toMatchObject({ code: 'rate_limited', rateLimit: { remaining: 43 } });
  expect(limited).not.toHaveProperty('limit');
  for (const cost of [-1, 1.5, Number.NaN])
    await expect(keyward.validate(key, { cost, onUnavailable: 'allow' })).rejects.toMatchObject({
      code: 'invalid_body',
    });
});

it('throws for invalid permissions, even with onUnavailable: allow', async () => {
  const { key } = await keyward.apiKeys.create({ name: 'Jo', permissions: ['*'] });
  // JSON would leave out a function, and nothing would be required.
  for (const permissions of ['a.*', [], () => 'a', null] as PermissionsInput[]) {
    const options = { permissions, onUnavailable: 'allow' } as const;
    const error = { code: 'invalid_body', statusCode: 400 };
    await expect(keyward.validate(key, options)).rejects.toMatchObject(error);
    await expect(keyward.apiKeys.validateMany([key], options)).rejects.toMatchObject(error);
    await expect(keyward.apiKeys.validateMany([{ key, permissions }])).rejects.toMatchObject(error);
  }
});

it('validates many keys with common and individual permissions', async () => {
  const { key } = await keyward.apiKeys.create({
    name: 'Kim',
    permissions: ['a', 'b'],
    allowedIPs: ['10.0.0.1'],
  });
  const { key: other } = await keyward.apiKeys.create({ name: 'Lee', permissions: ['b'] });
  const keys = [key, { key, permissions: 'b' }, { key, permissions: ['b', 'c'] }, { key: other }];
  const options = { permissions: 'a', clientIP: '10.0.0.1' };
  expect(await keyward.apiKeys.validateMany(keys, options)).toMatchObject([
    { valid: true },
    { valid: true },
    { valid: false, code: 'permission_denied', missing: ['c'] },
    { valid: false, code: 'permission_denied', missing: ['a'] },
  ]);
  expect(await keyward.apiKeys.validateMany([key])).toMatchObject([{ code: 'ip_denied' }]);
  // Requirements of many keys do not fit into one call.
  const permissions = Array.from({ length: 30 }, (_, n) => `${'long-name'.repeat(12)}.${n}`);
  const many = Array.from({ length: 40 }, () => ({ key: other, permissions }));
  const results = await keyward.apiKeys.validateMany(many, { permissions });
  expect(results).toHaveLength(40);
  for (const result of results) expect(result).toMatchObject({ missing: permissions });
});

it('returns a result for any string sent as a key', async () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }));
  await fc.assert(
    fc.asyncProperty(text, async (value) => {
      expect((await keyward.validate(value)).valid).toBe(false);
    }),
    { numRuns: 200, examples: [['\ud800'], ['k'.repeat(5_000)], [''], ['\0']] },
  );
});

it('validates many keys of any length in order', async () => {
  const { key } = await keyward.apiKeys.create({ name: 'Ed' });
  const values = [
    ...Array.from({ length: 1_100 }, (_, index) => `unknown-${index}`),
    key,
    'x'.repeat(5_000),
    ...Array.from({ length: 300 }, () => 'y'.repeat(256)),
    key,
  ];
  const results = await keyward.apiKeys.validateMany(values);
  expect(results).toHaveLength(values.length);
  const valid = results.flatMap((result, index) => (result.valid ? [index] : []));
  expect(valid).toEqual([1_100, values.length - 1]);
  expect(results[1_101]).toMatchObject({ valid: false, code: 'key_malformed' });
  // With the cost in each of them, these do not fit into one call.
  const alike = Array.from({ length: 1_000 }, () => 'z'.repeat(56));
  expect(await keyward.apiKeys.validateMany(alike, { cost: 2 })).toHaveLength(1_000);
  expect(await keyward.apiKeys.validateMany([])).toEqual([]);
});

it('throws if the access key or the URL is wrong, because that says nothing about the key', async () => {
  const stranger = new Keyward({
    ...app.sdkOptions,
    accessKey: 'no-such',
    onUnavailable: 'allow',
  });
  const error = await stranger.validate('some-key-value').catch((thrown) => thrown);
  expect(error).toBeInstanceOf(KeywardError);
  expect(error.code).toBe('credential_invalid');
  const lost = new Keyward({
    ...app.sdkOptions,
    url: `${app.url}/no/such`,
    onUnavailable: 'allow',
  });
  await expect(lost.validate('some-key-value')).rejects.toMatchObject({ code: 'route_not_found' });
});
