import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import type { TestResponse } from '../../harness/test-client.ts';

const DAY = 86_400;

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

const create = async (limits: readonly object[], more: object = {}) => {
  const { status, body, text } = await test.client.post('/api-keys', {
    name: 'Key',
    limits,
    ...more,
  });
  expect(status, text).toBe(201);
  return body;
};
const validate = (key: string, cost?: number) =>
  test.client.post('/api-keys/auth', { key, ...(cost !== undefined && { cost }) });
const second = { name: 'second', rateLimit: 5, rateLimitTtl: 1 };
const day = { name: 'day', rateLimit: 8, rateLimitTtl: DAY };
const remaining = ({ body }: TestResponse) =>
  Object.fromEntries(
    body.rateLimits.map((each: { name: string; remaining: number }) => [each.name, each.remaining]),
  );

describe('a key with several limits', () => {
  it('consumes from all of them, and reports each', async () => {
    const { key } = await create([second, day], {
      rateLimitConfigs: { rateLimit: 20, rateLimitTtl: 60 },
    });
    const { status, body, headers } = await validate(key, 3);
    expect(status).toBe(200);
    const now = test.clock.now / 1000;
    expect(Object.keys(body).at(-1)).toBe('rateLimits');
    expect(body.rateLimits).toEqual([
      { name: 'default', limit: 20, remaining: 17, reset: Math.ceil(now + 60), exceeded: false },
      { name: 'second', limit: 5, remaining: 2, reset: Math.ceil(now + 1), exceeded: false },
      { name: 'day', limit: 8, remaining: 5, reset: Math.ceil(now + DAY), exceeded: false },
    ]);
    expect(headers.get('ratelimit-limit')).toBe('5');
    expect(headers.get('ratelimit-remaining')).toBe('2');
    expect(headers.get('ratelimit-policy')).toBe(
      `"default";q=20;w=60, "second";q=5;w=1, "day";q=8;w=${DAY}`,
    );
    expect(headers.get('ratelimit')).toBe(
      `"default";r=17;t=60, "second";r=2;t=1, "day";r=5;t=${DAY}`,
    );
    expect(headers.get('retry-after')).toBeNull();
  });

  it('is refused by the limit that is used up, which the response names, and consumes from none', async () => {
    const { key } = await create([second, day]);
    await validate(key, 5);
    test.clock.now += 1_000;
    const refused = await validate(key, 4);
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({ code: 'rate_limited', limit: 'day' });
    expect(refused.headers.get('ratelimit-limit')).toBe('8');
    expect(refused.headers.get('retry-after')).toBe(String(DAY - 1));
    expect(remaining(refused)).toEqual({ second: 5, day: 3 });
    expect(remaining(await validate(key, 3))).toEqual({ second: 2, day: 0 });
    expect(remaining(await validate(key, 0))).toEqual({ second: 2, day: 0 });
  });

  it('is not refused by a limit in shadow mode, which reports what it would refuse', async () => {
    const { key } = await create([{ ...day, mode: 'shadow', rateLimit: 2 }]);
    expect((await validate(key, 2)).body.rateLimits[0].exceeded).toBe(false);
    const { status, body, headers } = await validate(key);
    expect(status).toBe(200);
    expect(body.rateLimits).toMatchObject([{ name: 'day', remaining: 0, exceeded: true }]);
    for (const name of ['ratelimit-limit', 'ratelimit', 'ratelimit-policy'])
      expect(headers.get(name)).toBeNull();
  });

  it('counts the previous window in a sliding limit, and says when the cost fits', async () => {
    const { key } = await create([
      { name: 'minute', rateLimit: 10, rateLimitTtl: 60, algorithm: 'sliding' },
    ]);
    await validate(key, 10);
    test.clock.now += 60_000;
    const refused = await validate(key, 5);
    expect(refused.headers.get('retry-after-seconds')).toBe('30');
    test.clock.now += 29_999;
    expect((await validate(key, 5)).status).toBe(429);
    test.clock.now += 1;
    expect(remaining(await validate(key, 5))).toEqual({ minute: 0 });
  });

  it('shares the limits per customer with the other keys of the customer, and no others', async () => {
    const limits = [day, { name: 'all', rateLimit: 10, rateLimitTtl: DAY, per: 'customer' }];
    const customAccountId = `customer ${test.clock.now}`;
    const [a, b] = [
      await create(limits, { customAccountId }),
      await create(limits, { customAccountId }),
    ];
    const other = await create(limits, { customAccountId: `${customAccountId}, another` });
    expect(remaining(await validate(a.key, 4))).toEqual({ day: 4, all: 6 });
    expect(remaining(await validate(b.key, 5))).toEqual({ day: 3, all: 1 });
    expect((await validate(a.key, 2)).body).toMatchObject({ limit: 'all' });
    expect(remaining(await validate(other.key, 1))).toEqual({ day: 7, all: 9 });
  });

  it('shares its limits with the key that replaces it', async () => {
    const { id, key } = await create([day]);
    await validate(key, 3);
    const { body } = await test.client.post(`/api-keys/${id}/rotate`, { graceSeconds: 60 });
    expect(remaining(await validate(body.key, 1))).toEqual({ day: 4 });
    expect(remaining(await validate(key, 1))).toEqual({ day: 3 });
  });

  it('is described in batches, and at gateways', async () => {
    const { key } = await create([day]);
    const batch = await test.client.post('/api-keys/auth', {
      keys: [{ key, cost: 7 }, { key, cost: 2 }, key],
    });
    const reset = Math.ceil(test.clock.now / 1000 + DAY);
    const state = { name: 'day', limit: 8, reset };
    expect(batch.body).toMatchObject([
      {
        valid: true,
        record: { rateLimits: [{ ...state, remaining: 1, exceeded: false }] },
        rateLimit: { limit: 8, remaining: 1, consumed: 7 },
      },
      {
        valid: false,
        statusCode: 429,
        code: 'rate_limited',
        limit: 'day',
        rateLimits: [{ ...state, remaining: 1, exceeded: true }],
        rateLimit: { limit: 8, remaining: 1, consumed: 7 },
      },
      { valid: true, record: { rateLimits: [{ ...state, remaining: 0, exceeded: false }] } },
    ]);
    const headers = { 'x-keyward-access-key': test.accessKey, 'x-keyward-key': key };
    const verify = await fetch(`${test.url}/gateway/verify?limited=403`, { headers });
    expect([verify.status, verify.headers.get('x-keyward-status')]).toEqual([403, '429']);
    expect(verify.headers.get('ratelimit')).toBe(`"day";r=0;t=${DAY}`);
  });

  it('is not leased to a client that does not know policies', async () => {
    const { key } = await create([day]);
    const { status, body } = await test.client.post('/api-keys/auth', { key, lease: 5 });
    expect(status).toBe(200);
    expect(body).not.toHaveProperty('lease');
    expect(body).not.toHaveProperty('rateLimits');
    expect(remaining(await validate(key, 0))).toEqual({ day: 8 });
  });
});

it('the response for a key with only rateLimitConfigs has no fields or headers of named limits', async () => {
  const { key } = await create([], { rateLimitConfigs: { rateLimit: 1, rateLimitTtl: 60 } });
  for (const status of [200, 429]) {
    const response = await validate(key);
    expect(response.status).toBe(status);
    expect(response.text).not.toContain('rateLimits');
    expect(response.body).not.toHaveProperty('limit');
    expect(response.headers.get('ratelimit')).toBeNull();
    expect(response.headers.get('ratelimit-policy')).toBeNull();
  }
});
