import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp({ managementLimit: 5 });
});
afterAll(() => test.close());

const nextWindow = () => {
  test.clock.now += 60_000;
};
const limitHeaders = (headers: Headers) =>
  Object.fromEntries([...headers].filter(([name]) => /^(ratelimit|retry)-/.test(name)));

describe('the management limit', () => {
  it('counts management calls of an access key, with the same headers', async () => {
    for (let consumed = 1; consumed <= 5; consumed++) {
      const { status, headers } = await test.client.get('/accounts');
      expect(status).toBe(200);
      expect(limitHeaders(headers)).toMatchObject({
        'ratelimit-limit': '5',
        'ratelimit-consumed': String(consumed),
        'ratelimit-remaining': String(5 - consumed),
        'retry-after-seconds': '60',
      });
    }
    const refused = await test.client.get('/accounts');
    expect([refused.status, refused.body.code]).toEqual([429, 'management_rate_limited']);
    expect(limitHeaders(refused.headers)).toMatchObject({
      'ratelimit-remaining': '0',
      'retry-after': '60',
    });
    nextWindow();
    expect((await test.client.get('/accounts')).status).toBe(200);
  });

  it('a rejected request changes nothing', async () => {
    nextWindow();
    for (let i = 0; i < 4; i++) await test.client.get('/accounts');
    const { body } = await test.client.post('/api-keys', { name: 'The fifth call' });
    expect((await test.client.delete(`/api-keys/${body.id}`)).status).toBe(429);
    expect((await test.client.post(`/api-keys/auth/${body.key}`)).status).toBe(200);
  });

  it('validations are not counted and have no such headers', async () => {
    nextWindow();
    const { body } = await test.client.post('/api-keys', { name: 'Validated' });
    for (let i = 0; i < 10; i++)
      for (const { status, headers } of [
        await test.client.post(`/api-keys/auth/${body.key}`),
        await test.client.post(`/api-keys/auth/${body.key}/`),
        await test.client.post('/api-keys/auth', { key: body.key }),
        await test.client.post('/api-keys/auth', { keys: [body.key] }),
        await test.client.post('/auth/authenticate', { credentials: { api_key: body.key } }),
      ]) {
        expect(status).toBe(200);
        expect(limitHeaders(headers)).toEqual({});
      }
    expect((await test.client.get('/accounts')).headers.get('ratelimit-consumed')).toBe('2');
  });

  it('does not limit validations when it is used up', async () => {
    nextWindow();
    const { body } = await test.client.post('/api-keys', { name: 'Goes on' });
    for (let i = 0; i < 5; i++) await test.client.get('/accounts');
    expect((await test.client.get('/accounts')).status).toBe(429);
    expect((await test.client.post(`/api-keys/auth/${body.key}`)).status).toBe(200);
  });

  it('is counted per access key, and replaced by the limit of the access key', async () => {
    nextWindow();
    const { body: own } = await test.client.post('/access-keys', {
      name: 'Own limit',
      rateLimitConfigs: { rateLimit: 7, rateLimitTtl: 10 },
    });
    const caller = test.client.as(own.key);
    for (let i = 0; i < 7; i++) expect((await caller.get('/accounts')).status).toBe(200);
    const refused = await caller.get('/accounts');
    expect(refused.status).toBe(429);
    expect(limitHeaders(refused.headers)).toMatchObject({
      'ratelimit-limit': '7',
      'retry-after': '10',
    });
    expect((await test.client.get('/accounts')).headers.get('ratelimit-consumed')).toBe('2');
    test.clock.now += 10_000;
    expect((await caller.get('/accounts')).status).toBe(200);
  });

  it('requests rejected for credential or scope are not counted', async () => {
    nextWindow();
    const { body } = await test.client.post('/access-keys', { name: 'R', scopes: ['keys:read'] });
    const caller = test.client.as(body.key);
    for (let i = 0; i < 6; i++) expect((await caller.get('/accounts')).status).toBe(403);
    expect((await caller.get('/api-keys')).headers.get('ratelimit-consumed')).toBe('1');
  });
});
