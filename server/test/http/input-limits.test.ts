import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateValue } from '../../src/kernel/secrets/key-values.ts';
import { START, startTestApp, type TestApp } from '../harness/test-app.ts';

let test: TestApp;
let keyId: string;
beforeAll(async () => {
  test = await startTestApp();
  keyId = (await test.client.post('/api-keys', { name: 'Held' })).body.id;
});
afterAll(() => test.close());

const nested = (levels: number): object => (levels === 1 ? {} : { inner: nested(levels - 1) });
const generated = generateValue('live_');
const wrongChecksum = generated.slice(0, -1) + (generated.endsWith('0') ? '1' : '0');

/** Bodies that both create and update reject, with the field that the message must name. */
const INVALID: readonly (readonly [field: string, body: object])[] = [
  ['colour', { colour: 'red' }],
  ['isActive', { isActive: false }],
  ['expiresAt', { expiresAt: 'tomorrow' }],
  ['name', { name: '' }],
  ['name', { name: 'n'.repeat(257) }],
  ['name', { name: 7 }],
  ['name', { name: null }],
  ['customAccountId', { customAccountId: 'a'.repeat(257) }],
  ['customAccountId', { customAccountId: '' }],
  ['customUserId', { customUserId: 'u'.repeat(257) }],
  ['customUserId', { customUserId: 7 }],
  ['customMetaData', { customMetaData: [] }],
  ['customMetaData', { customMetaData: 'text' }],
  ['customMetaData', { customMetaData: { text: 'x'.repeat(16 * 1024) } }],
  ['customMetaData', { customMetaData: nested(33) }],
  ['key', { key: 'seven-c' }],
  ['key', { key: 'k'.repeat(257) }],
  ['key', { key: 'with a space' }],
  ['key', { key: 'with/a/slash' }],
  ['key', { key: 'ümlaut-value' }],
  ['key', { key: wrongChecksum }],
  ['key', { key: 'key_01h00000000000000000000000' }],
  ['key', { key: 'acc_01h00000000000000000000000' }],
  ['expiry', { expiry: 'tomorrow' }],
  ['expiry', { expiry: '2031-02-30' }],
  ['expiry', { expiry: '2031-01-01T25:00:00Z' }],
  ['expiry', { expiry: 1_900_000_000_000 }],
  ['expiry', { expiry: '' }],
  ['rateLimitConfigs', { rateLimitConfigs: { rateLimit: 1 } }],
  ['rateLimitConfigs', { rateLimitConfigs: { rateLimit: 0, rateLimitTtl: 60 } }],
  ['rateLimitConfigs', { rateLimitConfigs: { rateLimit: 1.5, rateLimitTtl: 60 } }],
  ['rateLimitConfigs', { rateLimitConfigs: { rateLimit: '1', rateLimitTtl: 60 } }],
  ['rateLimitConfigs', { rateLimitConfigs: { rateLimit: 1, rateLimitTtl: 0 } }],
  ['rateLimitConfigs', { rateLimitConfigs: { rateLimit: 1, rateLimitTtl: 31 * 86_400 + 1 } }],
  ['rateLimitConfigs', { rateLimitConfigs: { rateLimit: 1, rateLimitTtl: 1, burst: 2 } }],
  ['rateLimitConfigs', { rateLimitConfigs: 'fast' }],
  ['allowedDomains', { allowedDomains: [] }],
  ['allowedDomains', { allowedDomains: ['https://example.com'] }],
  ['allowedDomains', { allowedDomains: ['*'] }],
  ['allowedDomains', { allowedDomains: ['a.*.com'] }],
  ['allowedDomains', { allowedDomains: ['example.com:443'] }],
  ['allowedDomains', { allowedDomains: 'example.com' }],
];

describe.each([
  ['create', (body: object) => test.client.post('/api-keys', body)],
  ['update', (body: object) => test.client.patch(`/api-keys/${keyId}`, body)],
])('%s', (_, send) => {
  it.each(INVALID)('an invalid %s is a 400 that names it: %j', async (field, body) => {
    const response = await send({ name: 'Fine', ...body });
    expect(response.status).toBe(400);
    expect(['invalid_body', 'invalid_key_value']).toContain(response.body.code);
    expect(response.body).toMatchObject({ statusCode: 400, error: 'Bad Request' });
    expect(response.body.requestId).toBe(response.headers.get('x-request-id'));
    expect(response.body.message).toContain(field);
  });

  it.each([
    ['a name of 256 characters', { name: 'ü'.repeat(256) }],
    ['ids of 256 characters', { customAccountId: 'a'.repeat(256), customUserId: 'u'.repeat(256) }],
    ['metadata of 16 KB', { customMetaData: { t: 'x'.repeat(16 * 1024 - '{"t":""}'.length) } }],
    ['metadata of 32 levels', { customMetaData: nested(32) }],
    ['a window of 31 days', { rateLimitConfigs: { rateLimit: 1, rateLimitTtl: 31 * 86_400 } }],
    ['a host with one label', { allowedDomains: ['localhost'] }],
  ])('%s is within the limits', async (_name, body) => {
    const response = await send({ name: 'Fine', ...body });
    expect([200, 201]).toContain(response.status);
    expect(response.body).toMatchObject(body);
  });

  it.each([
    ['2031-02-03T04:05:06Z', '2031-02-03T04:05:06.000Z'],
    ['2031-02-03T04:05:06.789Z', '2031-02-03T04:05:06.789Z'],
    ['2031-02-03T04:05:06+02:00', '2031-02-03T02:05:06.000Z'],
    ['2031-02-03T04:05:06', '2031-02-03T04:05:06.000Z'],
    ['2031-02-03 04:05:06', '2031-02-03T04:05:06.000Z'],
    ['2031-02-03', '2031-02-03T00:00:00.000Z'],
  ])('expiry %s is %s', async (expiry, expiresAt) => {
    expect((await send({ name: 'Fine', expiry })).body.expiresAt).toBe(expiresAt);
  });
});

describe('create only', () => {
  it('rejects an expiry that is not in the future', async () => {
    for (const ms of [START - 1, START]) {
      const expiry = new Date(ms).toISOString();
      const { status, body } = await test.client.post('/api-keys', { name: 'Past', expiry });
      expect([status, body.message]).toEqual([400, 'expiry must be in the future.']);
    }
    const expiry = new Date(START + 1).toISOString();
    expect((await test.client.post('/api-keys', { name: 'Ahead', expiry })).status).toBe(201);
  });

  it('accepts a generated value with a correct checksum', async () => {
    const { body } = await test.client.post('/api-keys', { name: 'Moved here', key: generated });
    expect(body.key).toBe(generated);
  });

  it.each([
    ['clientIP', { clientIP: 'x'.repeat(65) }],
    ['clientUserAgent', { clientUserAgent: 'x'.repeat(513) }],
    ['projectId', { projectId: null }],
  ])('an invalid %s is a 400 that names it', async (field, body) => {
    const response = await test.client.post('/api-keys', { name: 'Fine', ...body });
    expect([response.status, response.body.code]).toEqual([400, 'invalid_body']);
    expect(response.body.message).toContain(field);
  });
});

describe('queries', () => {
  it.each([
    'colour=red',
    'limit=0',
    'limit=1001',
    'limit=ten',
    'limit=1.5',
    'isActive=maybe',
    'name=a&name=b',
    'limit=1&limit=2',
  ])('%s is a 400', async (query) => {
    const { status, body } = await test.client.get(`/api-keys?${query}`);
    expect([status, body.code]).toEqual([400, 'invalid_query']);
    expect(body.message).toContain(query.split('=')[0]);
  });

  it.each(['nonsense', 'a2V5X25vdGhpbmc', ''])('the cursor %j is a 400', async (cursor) => {
    const { status, body } = await test.client.get(`/api-keys?limit=1&cursor=${cursor}`);
    expect([status, body.code]).toEqual([400, 'invalid_cursor']);
  });
});
