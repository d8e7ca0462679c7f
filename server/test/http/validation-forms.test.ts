import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import type { TestResponse } from '../harness/test-client.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

const create = async (body: object = {}) =>
  (await test.client.post('/api-keys', { name: 'Key', ...body })).body;

const FORMS: readonly (readonly [
  form: string,
  send: (key: string, origin?: string) => Promise<TestResponse>,
])[] = [
  [
    'in the path',
    (key, origin) => test.client.post(`/api-keys/auth/${key}`, undefined, from(origin)),
  ],
  ['by GET', (key, origin) => test.client.get(`/api-keys/auth/${key}`, from(origin))],
  ['in the body', (key, origin) => test.client.post('/api-keys/auth', { key }, from(origin))],
  [
    'in the old form',
    (key, origin) =>
      test.client.post(
        '/auth/authenticate',
        { credentials: { api_key: key }, timestamp: 1, sentAt: 2 },
        from(origin),
      ),
  ],
];
const from = (origin?: string): Record<string, string> =>
  origin === undefined ? {} : { 'x-origin-domain': origin };

/** One key for every result of a validation. */
async function keysOfEveryKind(): Promise<string[]> {
  const valid = await create({ customMetaData: { a: 1 } });
  const revoked = await create();
  await test.client.delete(`/api-keys/${revoked.id}`);
  const expired = await create({ expiry: new Date(test.clock.now + 1).toISOString() });
  test.clock.now += 1;
  const domains = await create({ allowedDomains: ['example.com'] });
  return [valid.key, revoked.key, expired.key, domains.key, 'unknown-value', 'x', valid.id];
}

describe('forms of a validation', () => {
  it.each(['key', 'keys'])('accept %s in a body with an unused access key', async (field) => {
    const { key } = await create();
    const { body: fresh } = await test.client.post('/access-keys', { name: 'Fresh' });
    const payload = { [field]: field === 'key' ? key : [key] };
    const { status, text } = await test.client.as(fresh.key).post('/api-keys/auth', payload);
    expect(status, text).toBe(200);
  });

  it('return the same bytes, except for the request id', async () => {
    for (const key of await keysOfEveryKind()) {
      const responses: object[] = [];
      for (const [, send] of FORMS) {
        const { status, text, headers } = await send(key);
        const type = headers.get('content-type');
        responses.push({ status, type, text: text.replace(/"requestId":"[^"]+"/, '') });
      }
      expect(responses).toEqual(FORMS.map(() => responses[0]));
    }
  });

  it('count in the same window, with the same headers', async () => {
    const { key } = await create({ rateLimitConfigs: { rateLimit: 4, rateLimitTtl: 60 } });
    const consumed = [];
    for (const [, send] of FORMS) {
      const { headers } = await send(key);
      consumed.push([headers.get('ratelimit-consumed'), headers.get('ratelimit-remaining')]);
    }
    expect(consumed).toEqual([
      ['1', '3'],
      ['2', '2'],
      ['3', '1'],
      ['4', '0'],
    ]);
    for (const [, send] of FORMS) {
      const { status, headers } = await send(key);
      expect([status, headers.get('retry-after')]).toEqual([429, '60']);
    }
  });
});

describe('a batch', () => {
  it('returns results in order, each as for a single validation', async () => {
    const keys = await keysOfEveryKind();
    const { status, body } = await test.client.post('/api-keys/auth', { keys });
    expect(status).toBe(200);
    expect(body.map(({ record: _, ...rest }: { record: object }) => rest)).toEqual([
      { valid: true, statusCode: 200, code: 'valid' },
      { valid: false, statusCode: 404, code: 'key_revoked' },
      { valid: false, statusCode: 404, code: 'key_expired' },
      { valid: false, statusCode: 403, code: 'domain_denied' },
      { valid: false, statusCode: 404, code: 'key_not_found' },
      { valid: false, statusCode: 404, code: 'key_malformed' },
      { valid: false, statusCode: 404, code: 'key_malformed' },
    ]);
    const single = await test.client.post(`/api-keys/auth/${keys[0]}`);
    expect(body[0].record).toEqual(single.body);
    expect(body.slice(1).every((one: object) => !('record' in one))).toBe(true);
  });

  it('counts each key, also a repeated one, and returns what is left', async () => {
    const { key } = await create({ rateLimitConfigs: { rateLimit: 2, rateLimitTtl: 60 } });
    const { body, headers } = await test.client.post('/api-keys/auth', { keys: [key, key, key] });
    const reset = Math.ceil((test.clock.now + 60_000) / 1000);
    const limits = { limit: 2, reset, retryAfterSeconds: 60 };
    expect(body.map((one: { rateLimit: object }) => one.rateLimit)).toEqual([
      { ...limits, remaining: 1, consumed: 1 },
      { ...limits, remaining: 0, consumed: 2 },
      { ...limits, remaining: 0, consumed: 2 },
    ]);
    expect(body[2]).toMatchObject({ valid: false, statusCode: 429, code: 'rate_limited' });
    expect(headers.get('ratelimit-limit')).toBeNull();
  });

  it('accepts 1 to 1,000 keys, in one of two forms', async () => {
    const many = Array.from({ length: 1000 }, (_, i) => `unknown-key-${i}`);
    expect((await test.client.post('/api-keys/auth', { keys: many })).body).toHaveLength(1000);
    for (const body of [
      { keys: [...many, 'one-too-many'] },
      { keys: [] },
      {},
      { key: 'both-of-them', keys: ['both-of-them'] },
      { keys: [7] },
      { key: null },
      { key: 'fine-value', more: 1 },
    ]) {
      const response = await test.client.post('/api-keys/auth', body);
      expect([response.status, response.body.code]).toEqual([400, 'invalid_body']);
    }
  });

  it('applies the header x-origin-domain to each of its keys', async () => {
    const { key } = await create({ allowedDomains: ['example.com'] });
    const send = (origin?: string) =>
      test.client.post('/api-keys/auth', { keys: [key] }, from(origin));
    expect((await send('example.com')).body[0].valid).toBe(true);
    expect((await send()).body[0].code).toBe('domain_denied');
  });
});

describe('the old form', () => {
  it('without a key is a 400', async () => {
    for (const body of [{}, { credentials: {} }, { credentials: { api_key: 7 } }])
      expect((await test.client.post('/auth/authenticate', body)).status).toBe(400);
  });
});
