import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

const create = async (rateLimit: number | null) => {
  const rateLimitConfigs = rateLimit === null ? null : { rateLimit, rateLimitTtl: 60 };
  return (await test.client.post('/api-keys', { name: 'Key', rateLimitConfigs })).body;
};
const consumed = ({ headers }: { headers: Headers }) => headers.get('ratelimit-consumed');
const gateway = (key: string, query: string) =>
  test.client.post(`/gateway/verify?${query}`, undefined, {
    'x-keyward-access-key': test.accessKey,
    'x-keyward-key': key,
  });

describe('the cost of a validation', () => {
  it.each([
    ['in the path', (key: string) => test.client.post(`/api-keys/auth/${key}?cost=4`)],
    ['by GET', (key: string) => test.client.get(`/api-keys/auth/${key}?cost=4`)],
    ['in the body', (key: string) => test.client.post('/api-keys/auth', { key, cost: 4 })],
    [
      'in the old form',
      (key: string) =>
        test.client.post('/auth/authenticate', { credentials: { api_key: key }, cost: 4 }),
    ],
    ['at a gateway', (key: string) => gateway(key, 'cost=4')],
  ])('is taken from the window, %s', async (_, send) => {
    const { key } = await create(10);
    expect(consumed(await test.client.post(`/api-keys/auth/${key}`))).toBe('1');
    expect(consumed(await send(key))).toBe('5');
    expect(consumed(await send(key))).toBe('9');
    const refused = await send(key);
    expect([refused.status, consumed(refused)]).toEqual([429, '9']);
    expect(refused.body).not.toHaveProperty('limit');
    expect(refused.body).not.toHaveProperty('rateLimits');
    const last = await test.client.post('/api-keys/auth', { key });
    expect([last.status, consumed(last)]).toEqual([200, '10']);
  });

  it('is taken for each key of a batch', async () => {
    const { key } = await create(10);
    const keys = [{ key, cost: 6 }, { key, cost: 6 }, { key, cost: 0 }, key, { key }];
    const { body } = await test.client.post('/api-keys/auth', { keys });
    expect(
      body.map((each: { code: string; rateLimit: { consumed: number } }) => [
        each.code,
        each.rateLimit.consumed,
      ]),
    ).toEqual([
      ['valid', 6],
      ['rate_limited', 6],
      ['valid', 6],
      ['valid', 7],
      ['valid', 8],
    ]);
  });

  it('of 0 checks the key, takes nothing and opens no window', async () => {
    const { key } = await create(2);
    const check = () => test.client.post('/api-keys/auth', { key, cost: 0 });
    expect(consumed(await check())).toBe('0');
    test.clock.now += 30_000;
    const taken = await test.client.post('/api-keys/auth', { key, cost: 2 });
    expect(taken.headers.get('retry-after-seconds')).toBe('60');
    const after = await check();
    expect([after.status, consumed(after)]).toEqual([200, '2']);
    expect((await test.client.post('/api-keys/auth', { key })).status).toBe(429);
  });

  it('above the limit is refused as never possible, and takes nothing', async () => {
    const { key } = await create(5);
    for (const refused of [
      await test.client.post('/api-keys/auth', { key, cost: 6 }),
      await gateway(key, 'cost=6'),
    ]) {
      expect([refused.status, consumed(refused)]).toEqual([429, '0']);
      expect(refused.headers.get('retry-after')).toBeNull();
      expect(refused.body).toMatchObject({ code: 'rate_limited' });
      expect(refused.body.message).toContain('can never succeed');
    }
    const { body } = await test.client.post('/api-keys/auth', { keys: [{ key, cost: 6 }] });
    expect(body[0]).toMatchObject({ code: 'rate_limited', retryable: false });
    expect(consumed(await test.client.post('/api-keys/auth', { key, cost: 5 }))).toBe('5');
    const later = await test.client.post('/api-keys/auth', { key, cost: 5 });
    expect([later.status, later.headers.get('retry-after')]).toEqual([429, '60']);
    expect([later.body.message, later.body.retryable]).toEqual(['Too many requests', undefined]);
  });

  it('above one of several limits names that limit, even if another one resets later', async () => {
    const { body: created } = await test.client.post('/api-keys', {
      name: 'Several',
      limits: [
        { name: 'day', rateLimit: 100, rateLimitTtl: 86_400 },
        { name: 'minute', rateLimit: 10, rateLimitTtl: 60 },
        { name: 'tried', rateLimit: 1, rateLimitTtl: 60, mode: 'shadow' },
      ],
    });
    const { key } = created;
    for (let n = 0; n < 9; n++) {
      expect((await test.client.post('/api-keys/auth', { key, cost: 10 })).status).toBe(200);
      test.clock.now += 60_000;
    }
    const refused = await test.client.post('/api-keys/auth', { key, cost: 11 });
    expect(refused.body).toMatchObject({ limit: 'minute', retryable: false });
    expect(refused.headers.get('retry-after')).toBeNull();
    expect(refused.headers.get('ratelimit-limit')).toBe('10');
  });

  it('does not matter for a key without a limit', async () => {
    const { key } = await create(null);
    const plain = await test.client.post('/api-keys/auth', { key });
    const priced = await test.client.post('/api-keys/auth', { key, cost: 1_000_000 });
    expect([priced.status, priced.text]).toEqual([200, plain.text]);
    expect(priced.headers.get('ratelimit-limit')).toBeNull();
  });

  it.each([[-1], [1.5], [1_000_001], ['1'], [null], [9_999_999]])(
    'must be an integer from 0 to 1,000,000, not %j',
    async (cost) => {
      const { key } = await create(null);
      const responses = [
        await test.client.post('/api-keys/auth', { key, cost }),
        await test.client.post('/api-keys/auth', { keys: [{ key, cost }] }),
      ];
      for (const { status, body } of responses) {
        expect([status, body.code]).toEqual([400, 'invalid_body']);
        expect(body.message).toContain('cost');
      }
    },
  );

  it.each(['cost=-1', 'cost=x', 'cost=', 'cost=1.5', 'cost=1000001', 'cost=1&cost=2'])(
    'is rejected in a query: %s',
    async (query) => {
      const { key } = await create(null);
      const responses = [
        await test.client.post(`/api-keys/auth/${key}?${query}`),
        await gateway(key, query),
      ];
      for (const { status, body } of responses)
        expect([status, body.code]).toEqual([400, 'invalid_query']);
    },
  );

  it('cannot be 0 at a gateway, nor come from a header', async () => {
    const { key } = await create(5);
    expect((await gateway(key, 'cost=0')).status).toBe(400);
    const headers = {
      'x-keyward-access-key': test.accessKey,
      'x-keyward-key': key,
      'x-keyward-cost': '0',
    };
    expect(consumed(await test.client.post('/gateway/verify', undefined, headers))).toBe('1');
  });

  it.each([
    ['keys', (key: string) => ({ keys: [key], cost: 2 })],
    ['lease', (key: string) => ({ key, lease: 5, cost: 2 })],
  ])('cannot be sent beside %s', async (_, body) => {
    const { key } = await create(5);
    const response = await test.client.post('/api-keys/auth', body(key));
    expect([response.status, response.body.code]).toEqual([400, 'invalid_body']);
  });
});
