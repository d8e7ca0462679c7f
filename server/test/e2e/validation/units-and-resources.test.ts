import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import type { TestResponse } from '../../harness/test-client.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
  await declare(['tokens', 'pages']);
});
afterAll(() => test.close());

const declare = async (units: readonly string[]) => {
  const { status, body, text } = await test.client.patch(`/projects/${test.projectId}`, { units });
  expect(status, text).toBe(200);
  return body;
};
const create = async (limits: readonly object[], more: object = {}) => {
  const { status, body, text } = await test.client.post('/api-keys', {
    ...{ name: 'Key', limits, ...more },
  });
  expect(status, text).toBe(201);
  return body;
};
const validate = (key: string, more: object = {}) =>
  test.client.post('/api-keys/auth', { key, ...more });
const remaining = ({ body }: TestResponse) =>
  Object.fromEntries(
    (body.rateLimits ?? []).map((each: { name: string; remaining: number }) => [
      each.name,
      each.remaining,
    ]),
  );
const minute = { name: 'minute', rateLimit: 10, rateLimitTtl: 60 };
const tokens = { name: 'tokens', rateLimit: 5_000, rateLimitTtl: 60, unit: 'tokens' };

describe('limits by unit', () => {
  it.each([
    ['in the body', (key: string) => validate(key, { cost: { tokens: 1200 } })],
    [
      'in the path',
      (key: string) => test.client.post(`/api-keys/auth/${key}?cost=tokens:1200`, undefined),
    ],
    [
      'at a gateway',
      (key: string) =>
        test.client.post('/gateway/verify?cost=tokens:1200', undefined, {
          'x-keyward-access-key': test.accessKey,
          'x-keyward-key': key,
        }),
    ],
    [
      'in the old form',
      (key: string) =>
        test.client.post('/auth/authenticate', {
          credentials: { api_key: key },
          cost: { tokens: 1200 },
        }),
    ],
    [
      'in a batch',
      async (key: string) => {
        const keys = [{ key, cost: { tokens: 1200 } }];
        const { status, body } = await test.client.post('/api-keys/auth', { keys });
        return { status, body: body[0].record } as TestResponse;
      },
    ],
  ])('each count their own unit, %s', async (_, send) => {
    const { key } = await create([minute, tokens]);
    const counted = await send(key);
    expect(counted.status).toBe(200);
    expect(remaining(counted)).toEqual({ minute: 9, tokens: 3_800 });
    expect(remaining(await validate(key))).toEqual({ minute: 8, tokens: 3_800 });
    expect(remaining(await validate(key, { cost: 2 }))).toEqual({ minute: 6, tokens: 3_800 });
    expect(remaining(await validate(key, { cost: { requests: 0, pages: 9 } }))).toEqual({
      minute: 6,
      tokens: 3_800,
    });
  });

  it('refuse all or nothing, and report themselves as others do', async () => {
    const { key } = await create([minute, tokens]);
    await validate(key, { cost: { tokens: 4_000 } });
    const refused = await validate(key, { cost: { tokens: 1_001 } });
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({ code: 'rate_limited', limit: 'tokens' });
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(refused.headers.get('ratelimit')).toBe('"minute";r=9;t=60, "tokens";r=1000;t=60');
    expect(remaining(await validate(key, { cost: { tokens: 1_000 } }))).toEqual({
      minute: 8,
      tokens: 0,
    });
  });

  it('refuse a cost above their whole size as never possible', async () => {
    const { key } = await create([minute, tokens]);
    const { status, body, headers } = await validate(key, { cost: { tokens: 5_001 } });
    expect([status, body.limit, body.retryable]).toEqual([429, 'tokens', false]);
    expect(body.message).toContain('can never succeed');
    expect(headers.get('retry-after')).toBeNull();
  });

  it('allow up to 10¹² of a unit', async () => {
    const { key } = await create([{ ...tokens, rateLimit: 1_000_000_000_000 }]);
    const { body } = await validate(key, { cost: { tokens: 1_000_000_000 } });
    expect(body.rateLimits[0].remaining).toBe(999_000_000_000);
  });

  it('are paid for in credits by the unit `credits`', async () => {
    const { key } = await create([tokens], { credits: { remaining: 10 } });
    const { body } = await validate(key, { cost: { tokens: 100, credits: 4 } });
    expect(body.credits.remaining).toBe(6);
    const free = await validate(key, { cost: { tokens: 100, credits: 0 } });
    expect(free.body.credits.remaining).toBe(6);
    const refused = await validate(key, { cost: { tokens: 9_000, credits: 5 } });
    expect([refused.status, refused.body.limit]).toEqual([429, 'tokens']);
    expect((await validate(key, { cost: 0 })).body.credits.remaining).toBe(6);
  });

  it('need units that the project declares', async () => {
    const { key } = await create([minute]);
    const requests = [
      validate(key, { cost: { words: 1 } }),
      test.client.post(`/api-keys/auth/${key}?cost=words:1`),
      test.client.post('/api-keys/auth', { keys: [key, { key, cost: { words: 1 } }] }),
    ];
    for (const { status, body } of await Promise.all(requests)) {
      expect([status, body.code]).toEqual([400, 'unit_not_declared']);
      expect(body.message).toContain('"words"');
    }
    expect(remaining(await validate(key))).toEqual({ minute: 9 });
    const unknown = await validate('unknown-value', { cost: { words: 1 } });
    expect([unknown.status, unknown.body.code]).toEqual([404, 'key_not_found']);
    await declare(['tokens', 'pages', 'words']);
    expect((await validate(key, { cost: { words: 1 } })).status).toBe(200);
    await declare(['tokens', 'pages']);
    expect((await validate(key, { cost: { words: 1 } })).status).toBe(400);
  });

  it('count a request that costs no credits as a use', async () => {
    const { key, id } = await create([tokens]);
    await validate(key, { cost: { credits: 0, tokens: 1 } });
    await test.app.tally.flush();
    const { body } = await test.client.get(`/api-keys/${id}`);
    expect(body.firstUsedAt).not.toBeNull();
  });
});

describe('limits by resource', () => {
  const chat = { ...minute, name: 'chat', rateLimit: 3, for: ['POST:/v1/chat*', 'GET:/v1/chat'] };

  it('apply only to requests that match, and share one count', async () => {
    const { key } = await create([minute, chat]);
    expect(remaining(await validate(key))).toEqual({ minute: 9 });
    expect(remaining(await validate(key, { resource: 'GET:/v1/chat/9' }))).toEqual({ minute: 8 });
    const first = await validate(key, { resource: 'POST:/v1/chat/completions' });
    expect(remaining(first)).toEqual({ minute: 7, chat: 2 });
    expect(first.headers.get('ratelimit-policy')).toBe('"minute";q=10;w=60, "chat";q=3;w=60');
    const inPath = `/api-keys/auth/${key}?resource=GET:/v1/chat`;
    expect(remaining(await test.client.post(inPath))).toEqual({ minute: 6, chat: 1 });
    const gateway = await test.client.post('/gateway/verify?resource=POST:/v1/chat', undefined, {
      'x-keyward-access-key': test.accessKey,
      'x-keyward-key': key,
    });
    expect(remaining(gateway)).toEqual({ minute: 5, chat: 0 });
    const refused = await validate(key, { resource: 'POST:/v1/chat' });
    expect([refused.status, refused.body.limit]).toEqual([429, 'chat']);
    expect((await validate(key, { resource: 'GET:/other' })).status).toBe(200);
  });

  it('take the resource of the element of a batch, else the common one', async () => {
    const { key } = await create([minute, chat]);
    const { body } = await test.client.post('/api-keys/auth', {
      keys: [key, { key, resource: 'GET:/other' }, { key, resource: 'GET:/v1/chat' }],
      resource: 'POST:/v1/chat',
    });
    expect(
      body.map((each: { record: object }) => remaining({ body: each.record } as never)),
    ).toEqual([{ minute: 9, chat: 2 }, { minute: 8 }, { minute: 7, chat: 1 }]);
  });

  it('match requests without a resource with * alone', async () => {
    const { key } = await create([{ ...minute, for: ['*'] }]);
    expect(remaining(await validate(key))).toEqual({ minute: 9 });
  });

  it('keep their count when their patterns change', async () => {
    const { key, id, name } = await create([chat]);
    await validate(key, { resource: 'POST:/v1/chat' });
    await test.client.patch(`/api-keys/${id}`, { name, limits: [{ ...chat, for: ['other'] }] });
    expect(remaining(await validate(key, { resource: 'other' }))).toEqual({ chat: 1 });
    expect((await validate(key, { resource: 'POST:/v1/chat' })).body).not.toHaveProperty(
      'rateLimits',
    );
  });

  it.each(['', 'a b', 'ä', 'a*', 'a'.repeat(129)])('reject the resource %j', async (resource) => {
    const { key } = await create([chat]);
    expect((await validate(key, { resource })).status).toBe(400);
    const keys = [{ key, resource }];
    expect((await test.client.post('/api-keys/auth', { keys })).status).toBe(400);
  });
});

describe('limits by the calendar', () => {
  const month = { name: 'month', rateLimit: 5, interval: 'month' };
  const at = (time: string) => {
    test.clock.now = Date.parse(time);
  };
  const resetOf = async (key: string) => {
    const { status, body } = await validate(key);
    expect(status).toBe(200);
    return new Date(body.rateLimits[0].reset * 1000).toISOString();
  };

  it('end with the month of their time zone, and begin again', async () => {
    at('2031-03-20T12:00:00Z');
    const { key } = await create([{ ...month, timezone: 'Europe/Berlin' }]);
    expect(await resetOf(key)).toBe('2031-03-31T22:00:00.000Z');
    for (let n = 0; n < 4; n++) await validate(key);
    const refused = await validate(key);
    expect([refused.status, refused.body.limit]).toEqual([429, 'month']);
    expect(Number(refused.headers.get('retry-after'))).toBe(
      (Date.parse('2031-03-31T22:00:00Z') - test.clock.now) / 1000,
    );
    expect(refused.headers.get('ratelimit-policy')).toBe('"month";q=5;w=2678400');
    at('2031-03-31T22:00:00Z');
    expect(await resetOf(key)).toBe('2031-04-30T22:00:00.000Z');
  });

  it('are counted from an anchor: 31 January, 28 February, 31 March', async () => {
    at('2031-02-10T00:00:00Z');
    const { key } = await create([{ ...month, anchor: '2031-01-31T10:00:00Z' }]);
    expect(await resetOf(key)).toBe('2031-02-28T10:00:00.000Z');
    at('2031-02-28T10:00:00Z');
    expect(await resetOf(key)).toBe('2031-03-31T10:00:00.000Z');
  });

  it('take a new zone or anchor from the next window on', async () => {
    at('2031-05-10T00:00:00Z');
    const { key, id, name } = await create([month]);
    expect(await resetOf(key)).toBe('2031-06-01T00:00:00.000Z');
    const limits = [{ ...month, anchor: '2031-01-15T00:00:00Z' }];
    await test.client.patch(`/api-keys/${id}`, { name, limits });
    expect(await resetOf(key)).toBe('2031-06-01T00:00:00.000Z');
    at('2031-06-01T00:00:00Z');
    expect(await resetOf(key)).toBe('2031-06-15T00:00:00.000Z');
  });

  it('begin a new count with another interval or unit', async () => {
    at('2031-07-10T00:00:00Z');
    const { key, id, name } = await create([month]);
    await validate(key);
    for (const change of [{ interval: 'day' }, { unit: 'tokens' }]) {
      await test.client.patch(`/api-keys/${id}`, { name, limits: [{ ...month, ...change }] });
      const { body } = await validate(key, { cost: { tokens: 1 } });
      expect(body.rateLimits[0].remaining).toBe(4);
    }
  });

  it('follow the anchor of the customer, else its creation, else that of the first key', async () => {
    const shared = [{ ...month, per: 'customer', anchor: 'customer' }];
    at('2031-08-03T05:00:00Z');
    const first = await create(shared, { customAccountId: 'no-record' });
    at('2031-08-20T00:00:00Z');
    const second = await test.client.post(`/api-keys/${first.id}/rotate`);
    expect(await resetOf(second.body.key)).toBe('2031-09-03T05:00:00.000Z');
    const { key } = await create(shared, { customAccountId: 'with-record' });
    at('2031-08-25T06:00:00Z');
    const { body } = await test.client.post('/customers', { customAccountId: 'with-record' });
    expect(await resetOf(key)).toBe('2031-09-25T06:00:00.000Z');
    const anchor = '2030-01-07T07:00:00.000Z';
    const changed = await test.client.patch(`/customers/${body.id}`, { anchor });
    expect(changed.body.anchor).toBe(anchor);
    expect(await resetOf(key)).toBe('2031-09-25T06:00:00.000Z');
    at('2031-09-25T06:00:00Z');
    expect(await resetOf(key)).toBe('2031-10-07T07:00:00.000Z');
  });

  it('need credits:write to set the anchor of a customer', async () => {
    const scopes = ['customers:write', 'customers:read'];
    const { body } = await test.client.post('/access-keys', { name: 'No credits', scopes });
    const limited = test.client.as(body.key);
    const anchor = '2030-01-07T07:00:00.000Z';
    const customAccountId = 'anchored';
    const refused = await limited.post('/customers', { customAccountId, anchor });
    expect([refused.status, refused.body.code]).toEqual([403, 'scope_missing']);
    const made = await limited.post('/customers', { customAccountId });
    for (const change of [{ anchor }, { anchor: null }])
      expect((await limited.patch(`/customers/${made.body.id}`, change)).status).toBe(403);
  });
});

describe('limits', () => {
  it('are shown as they were set, without what was not', async () => {
    const given = [
      { ...tokens, for: ['a*', 'a*', 'b'] },
      {
        name: 'week',
        rateLimit: 1,
        interval: 'week',
        timezone: 'Asia/Kolkata',
        anchor: 'customer',
      },
      { name: 'day', rateLimit: 1, interval: 'day', anchor: '2030-01-15', unit: 'requests' },
    ];
    const { id, limits } = await create(given);
    const defaults = { per: 'key', algorithm: 'fixed', mode: 'enforce' };
    const shown = [
      { ...tokens, ...defaults, for: ['a*', 'b'] },
      { ...given[1], ...defaults },
      {
        ...defaults,
        name: 'day',
        rateLimit: 1,
        interval: 'day',
        anchor: '2030-01-15T00:00:00.000Z',
      },
    ];
    expect(limits).toEqual(shown);
    const { body } = await test.client.get(`/api-keys/${id}?effective=true`);
    expect(body.effective.limits).toEqual(shown);
  });

  it.each([
    [{ ...minute, interval: 'day' }, 'either rateLimitTtl or interval'],
    [{ name: 'a', rateLimit: 1 }, 'either rateLimitTtl or interval'],
    [{ name: 'a', rateLimit: 1, interval: 'day', algorithm: 'sliding' }, 'sliding'],
    [{ ...minute, timezone: 'UTC' }, 'interval'],
    [{ ...minute, anchor: 'customer' }, 'interval'],
    [{ name: 'a', rateLimit: 1, interval: 'day', timezone: '+02:00' }, 'time zone'],
    [{ name: 'a', rateLimit: 1, interval: 'day', anchor: 'soon' }, 'anchor'],
    [{ ...minute, unit: 'credits' }, 'credits'],
    [{ ...minute, unit: 'words' }, 'words'],
    [{ ...minute, unit: 'Words' }, 'Words'],
    [{ ...minute, for: [] }, 'for'],
    [{ ...minute, for: ['a*b'] }, 'a*b'],
    [{ ...minute, for: Array.from({ length: 17 }, (_, n) => `r${n}`) }, 'for'],
    [{ name: 'a', rateLimit: 1, interval: 'hour' }, 'interval'],
    [{ ...minute, rateLimit: 1_000_000_000_001 }, 'rateLimit'],
  ])('are checked: %j', async (limit, text) => {
    const bodies = [
      test.client.post('/api-keys', { name: 'Key', limits: [limit] }),
      test.client.post('/plans', { name: 'Plan', limits: [limit] }),
      test.client.post('/customers', { customAccountId: 'checked', limits: [limit] }),
    ];
    for (const { status, body } of await Promise.all(bodies)) {
      expect([status, body.code]).toEqual([400, 'invalid_body']);
      expect(body.message).toContain(text);
    }
  });

  it('may be eight at each level', async () => {
    const some = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ ...minute, name: `limit-${n}` }));
    const { key } = await create(some(8));
    expect(Object.keys(remaining(await validate(key)))).toHaveLength(8);
    const { status } = await test.client.post('/api-keys', { name: 'Key', limits: some(9) });
    expect(status).toBe(400);
  });

  it('are leased with `accounting` only', async () => {
    for (const limit of [
      tokens,
      { ...minute, for: ['*'] },
      { name: 'd', rateLimit: 9, interval: 'day' },
    ]) {
      const { key } = await create([limit]);
      const asked = { lease: 1, policies: true };
      const { body } = await validate(key, asked);
      expect(body.key).toBeDefined();
      expect(body).not.toHaveProperty('limits');
      const leased = await validate(key, { ...asked, accounting: true });
      const { rateLimitTtl: _, ...shown } = limit as { rateLimitTtl?: number };
      const { rateLimit, ...rest } = shown as unknown as typeof minute;
      expect(leased.body.limits).toMatchObject([{ ...rest, limit: rateLimit }]);
      const described = await test.client.post('/api-keys/auth', {
        ...{ keys: [key], lease: 0, policies: true },
      });
      expect(described.body[0]).toMatchObject({ valid: true });
    }
  });
});
