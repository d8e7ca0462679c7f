import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../server/test/harness/test-app.ts';
import { Keyward, KeywardError } from '../src/index.ts';

let app: TestApp;
let keyward: Keyward;

beforeAll(async () => {
  app = await startTestApp({ realClock: true });
  keyward = new Keyward({ url: app.url, accessKey: app.accessKey });
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
    url: app.url,
    accessKey: app.accessKey,
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

it('returns a result for any string sent as a key', async () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }));
  await fc.assert(
    fc.asyncProperty(text, async (value) => {
      expect((await keyward.validate(value)).valid).toBe(false);
    }),
    { numRuns: 200, examples: [['\ud800'], ['k'.repeat(5_000)], [''], ['\0']] },
  );
});

it('validates many keys in order, whatever their length', async () => {
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
  expect(await keyward.apiKeys.validateMany([])).toEqual([]);
});

it('throws when the access key or the address is wrong, since that is not a verdict about the key', async () => {
  const stranger = new Keyward({ url: app.url, accessKey: 'no-such', onUnavailable: 'allow' });
  const error = await stranger.validate('some-key-value').catch((thrown) => thrown);
  expect(error).toBeInstanceOf(KeywardError);
  expect(error.code).toBe('credential_invalid');
  const lost = new Keyward({
    url: `${app.url}/no/such`,
    accessKey: app.accessKey,
    onUnavailable: 'allow',
  });
  await expect(lost.validate('some-key-value')).rejects.toMatchObject({ code: 'route_not_found' });
});
