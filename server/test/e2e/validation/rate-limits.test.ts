import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

const limited = async (rateLimit: number, rateLimitTtl: number) =>
  (
    await test.client.post('/api-keys', {
      name: 'Limited',
      rateLimitConfigs: { rateLimit, rateLimitTtl },
    })
  ).body;
const setLimit = (id: string, rateLimitConfigs: object | null) =>
  test.client.patch(`/api-keys/${id}`, { name: 'Limited', rateLimitConfigs });

async function validate(key: string) {
  const { status, body, headers } = await test.client.post(`/api-keys/auth/${key}`);
  return { status, body, headers: limitHeaders(headers) };
}

const limitHeaders = (headers: Headers) =>
  Object.fromEntries([...headers].filter(([name]) => /^(ratelimit|retry)-/.test(name)));

describe('the rate limit of a key', () => {
  it('admits the configured number, reports what is left, and refuses the rest', async () => {
    test.clock.now = Date.UTC(2030, 0, 2) + 1;
    const { key } = await limited(2, 60);
    const reset = String(Date.UTC(2030, 0, 2) / 1000 + 61);
    expect((await validate(key)).headers).toEqual({
      'ratelimit-limit': '2',
      'ratelimit-remaining': '1',
      'ratelimit-reset': reset,
      'ratelimit-consumed': '1',
      'retry-after-seconds': '60',
    });
    test.clock.now += 500;
    expect((await validate(key)).headers).toEqual({
      'ratelimit-limit': '2',
      'ratelimit-remaining': '0',
      'ratelimit-reset': reset,
      'ratelimit-consumed': '2',
      'retry-after-seconds': '59.5',
    });
    const refused = await validate(key);
    expect(refused.status).toBe(429);
    expect(refused.body).toEqual({
      statusCode: 429,
      message: 'Too many requests',
      error: 'Too Many Requests',
      code: 'rate_limited',
      docs: 'https://keyward.example/docs/errors/rate_limited',
      requestId: expect.stringMatching(/^req_/),
    });
    expect(refused.headers).toEqual({
      'ratelimit-limit': '2',
      'ratelimit-remaining': '0',
      'ratelimit-reset': reset,
      'ratelimit-consumed': '2',
      'retry-after-seconds': '59.5',
      'retry-after': '60',
    });
    expect((await validate(key)).headers['ratelimit-consumed']).toBe('2');
  });

  it('has a window that opens at the first request and lasts to the millisecond', async () => {
    const { key } = await limited(1, 10);
    test.clock.now += 5000;
    expect((await validate(key)).status).toBe(200);
    test.clock.now += 9999;
    expect((await validate(key)).headers['retry-after-seconds']).toBe('0.001');
    test.clock.now += 1;
    expect(await validate(key)).toMatchObject({
      status: 200,
      headers: { 'ratelimit-consumed': '1' },
    });
  });

  it('has no headers if the key has no limit', async () => {
    const { body } = await test.client.post('/api-keys', { name: 'Unlimited' });
    for (let i = 0; i < 20; i++)
      expect(await validate(body.key)).toMatchObject({ status: 200, headers: {} });
    expect((await validate(body.key)).headers).toEqual({});
  });

  it('applies immediately when it is changed, in the same window', async () => {
    const { id, key } = await limited(1, 60);
    await validate(key);
    expect((await validate(key)).status).toBe(429);
    await setLimit(id, { rateLimit: 3, rateLimitTtl: 60 });
    expect((await validate(key)).headers['ratelimit-consumed']).toBe('2');
    await setLimit(id, { rateLimit: 1, rateLimitTtl: 60 });
    expect(await validate(key)).toMatchObject({
      status: 429,
      headers: { 'ratelimit-consumed': '1', 'ratelimit-remaining': '0' },
    });
  });

  it('uses a changed window length from the next window on', async () => {
    const { id, key } = await limited(1, 60);
    await validate(key);
    await setLimit(id, { rateLimit: 1, rateLimitTtl: 5 });
    test.clock.now += 59_999;
    expect((await validate(key)).status).toBe(429);
    test.clock.now += 1;
    expect((await validate(key)).headers['retry-after-seconds']).toBe('5');
  });

  it('keeps its open window when the limit or the key is removed and restored', async () => {
    const { id, key } = await limited(1, 60);
    await validate(key);
    await setLimit(id, null);
    expect(await validate(key)).toMatchObject({ status: 200, headers: {} });
    await setLimit(id, { rateLimit: 1, rateLimitTtl: 60 });
    expect((await validate(key)).status).toBe(429);
    await test.client.delete(`/api-keys/${id}`);
    await test.client.patch(`/api-keys/${id}/reactivate`);
    expect((await validate(key)).status).toBe(429);
  });

  it('has a window of its own for each key', async () => {
    const [one, other] = [await limited(1, 60), await limited(1, 60)];
    await validate(one.key);
    expect((await validate(one.key)).status).toBe(429);
    expect((await validate(other.key)).status).toBe(200);
  });

  it.each([
    ['validation', {}],
    ['lease', { lease: 5, policies: true }],
  ])('keeps its window while a %s with credits waits for the database', async (_, body) => {
    const [{ key }, paid] = [await limited(1, 60), await limited(100, 60)];
    await test.client.patch(`/api-keys/${paid.id}`, { name: 'Paid', credits: { remaining: 100 } });
    expect((await validate(key)).status).toBe(200);
    const database = Promise.withResolvers<void>();
    const { transaction } = test.storage;
    const blocked = vi
      .spyOn(test.storage, 'transaction')
      .mockImplementation((work, options) =>
        database.promise.then(() => transaction(work, options)),
      );
    const waiting = test.client.post('/api-keys/auth', { key: paid.key, ...body });
    await expect.poll(() => blocked.mock.calls.length).toBeGreaterThan(0);
    test.clock.now += 5_000;
    expect((await validate(key)).status).toBe(429);
    blocked.mockRestore();
    database.resolve();
    expect((await waiting).status).toBe(200);
    test.clock.now += 54_999;
    expect((await validate(key)).status).toBe(429);
    test.clock.now += 1;
    expect((await validate(key)).status).toBe(200);
  });

  it('admits exactly the limit of many concurrent requests', async () => {
    const { key } = await limited(10, 60);
    const responses = await Promise.all(Array.from({ length: 40 }, () => validate(key)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(30);
  });
});
