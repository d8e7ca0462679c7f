import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { START, startTestApp, type TestApp } from '../../harness/test-app.ts';

const MINUTE = 60_000;
let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

const create = async (path: string, body: object) => {
  const { status, body: made } = await test.client.post(path, body);
  expect(status, JSON.stringify(made)).toBe(201);
  return made;
};
const validate = async (key: string, count: number, cost = 1) => {
  const keys = Array.from({ length: count }, () => ({ key, cost }));
  expect((await test.client.post('/api-keys/auth', { keys })).status).toBe(200);
};
/** Moves the clock to the start of a minute: by default the next one. */
const nextMinute = async (count = 1) => {
  await test.app.tally.flush();
  test.clock.now = (Math.floor(test.clock.now / MINUTE) + count) * MINUTE;
};
const preview = async (body: object) => {
  await test.app.tally.flush();
  const { status, body: result } = await test.client.post('/plans/preview', body);
  expect(status, JSON.stringify(result)).toBe(200);
  return result;
};
const iso = (ms: number) => new Date(ms).toISOString();
const minute = { name: 'minute', rateLimit: 3, rateLimitTtl: 60 };
const shared = { name: 'shared', rateLimit: 5, rateLimitTtl: 3600, per: 'customer' };

describe('a preview of a plan', () => {
  it('names the customers and keys that its limits would have refused', async () => {
    const plan = await create('/plans', { name: 'Draft' });
    const planId = plan.id;
    const acme = [
      await create('/api-keys', { name: 'a', customAccountId: 'acme', planId }),
      await create('/api-keys', { name: 'b', customAccountId: 'acme', planId }),
    ];
    const alone = await create('/api-keys', { name: 'c', planId });
    const other = await create('/api-keys', { name: 'not on the plan' });
    await nextMinute();
    const begin = test.clock.now;
    await validate(acme[0].key, 4);
    await validate(acme[1].key, 2);
    await validate(other.key, 20);
    await nextMinute();
    await validate(alone.key, 2, 3);
    await nextMinute();
    // This minute is not complete yet, so it is not replayed.
    await validate(alone.key, 9);
    const second = { name: 'second', rateLimit: 1, rateLimitTtl: 1 };
    const result = await preview({ planId, limits: [minute, shared, second], hours: 1 });
    const entry = { customAccountId: null, keyId: null };
    expect(result).toEqual({
      projectId: test.projectId,
      planId,
      from: iso(begin + 2 * MINUTE - 3_600_000),
      to: iso(begin + 2 * MINUTE),
      evaluated: { keys: 3, requests: 8, cost: 12 },
      refused: 2,
      limits: [
        {
          name: 'minute',
          refused: 2,
          customers: [
            { ...entry, customAccountId: 'acme', refused: 1, firstAt: iso(begin) },
            { ...entry, keyId: alone.id, refused: 1, firstAt: iso(begin + MINUTE) },
          ],
        },
        {
          name: 'shared',
          refused: 1,
          customers: [{ ...entry, keyId: alone.id, refused: 1, firstAt: iso(begin + MINUTE) }],
        },
      ],
      credits: null,
      skipped: ['second'],
      omittedRequests: 0,
    });
    const whole = await preview({ limits: [minute] });
    expect(whole.planId).toBeNull();
    expect(whole.evaluated.requests).toBe(28);
    expect(whole.limits[0].customers[0]).toMatchObject({ keyId: other.id, refused: 17 });
  });

  it('replays the limits of the plan by default, and counts what a limit in shadow mode would refuse', async () => {
    const shadow = { ...minute, mode: 'shadow' };
    const plan = await create('/plans', { name: 'Stored', limits: [shadow] });
    const key = await create('/api-keys', { name: 'a', planId: plan.id });
    await validate(key.key, 5);
    await nextMinute();
    const stored = await preview({ planId: plan.id });
    expect(stored).toMatchObject({ refused: 0, limits: [{ name: 'minute', refused: 2 }] });
    const enforced = await preview({ planId: plan.id, limits: [minute] });
    expect(enforced).toMatchObject({ refused: 2, limits: [{ refused: 2 }] });
  });

  it('leaves out limits that the key or its customer replaces', async () => {
    const { id: planId } = await create('/plans', { name: 'Replaced' });
    const own = { ...minute, rateLimit: 100 };
    await create('/customers', { customAccountId: 'large', planId, limits: [own] });
    const keys = [
      await create('/api-keys', { name: 'a', planId, limits: [own] }),
      await create('/api-keys', { name: 'b', customAccountId: 'large' }),
      await create('/api-keys', { name: 'c', planId }),
    ];
    for (const { key } of keys) await validate(key, 4);
    await nextMinute();
    const { limits, evaluated } = await preview({ planId, limits: [minute] });
    expect(evaluated.keys).toBe(3);
    expect(limits[0].customers).toMatchObject([{ keyId: keys[2].id, refused: 1 }]);
  });

  it('replays requests that were refused at the time', async () => {
    const plan = await create('/plans', { name: 'Tight', limits: [{ ...minute, rateLimit: 1 }] });
    const key = await create('/api-keys', { name: 'a', planId: plan.id });
    await validate(key.key, 5);
    await nextMinute();
    const { evaluated, limits } = await preview({ planId: plan.id, limits: [minute] });
    expect(evaluated).toMatchObject({ requests: 5, cost: 5 });
    expect(limits[0].refused).toBe(2);
  });

  it('counts a rotated key and its successor together', async () => {
    const { id: planId } = await create('/plans', { name: 'Rotated' });
    const old = await create('/api-keys', { name: 'a', planId });
    const rotated = await create(`/api-keys/${old.id}/rotate`, { graceSeconds: 3600 });
    await validate(old.key, 2);
    await validate(rotated.key, 2);
    await nextMinute();
    const { limits } = await preview({ planId, limits: [minute] });
    expect(limits[0].refused).toBe(1);
  });

  it('spends credits of customers until their refill', async () => {
    // The clock is in the last minute of an hour, so the refill follows.
    test.clock.now = START + 59 * MINUTE;
    const { id: planId } = await create('/plans', { name: 'Paid' });
    const keys = [
      await create('/api-keys', { name: 'a', customAccountId: 'payer', planId }),
      await create('/api-keys', { name: 'b', customAccountId: 'payer', planId }),
    ];
    const prepaid = await create('/api-keys', { name: 'c', planId, credits: { remaining: 9 } });
    await nextMinute(0);
    const begin = test.clock.now;
    for (const { key } of keys) await validate(key, 3);
    await validate(prepaid.key, 9);
    await nextMinute();
    await validate(keys[0].key, 4);
    await nextMinute();
    const credits = { amount: 4, interval: 'hour' };
    const hourly = await preview({ planId, credits });
    expect(hourly.limits).toEqual([]);
    expect(hourly.credits.customers).toEqual([
      { customAccountId: 'payer', keyId: null, refused: 2, firstAt: iso(begin) },
    ]);
    const once = await preview({ planId, credits: { amount: 4, interval: null } });
    expect([once.refused, once.credits.refused]).toEqual([6, 6]);
  });

  it('can try limits of a customer or a key, in place of the limits that it has', async () => {
    const shadow = { ...minute, mode: 'shadow' };
    await create('/customers', { customAccountId: 'trial', limits: [shadow] });
    const [a, b, own] = [
      await create('/api-keys', { name: 'a', customAccountId: 'trial' }),
      await create('/api-keys', { name: 'b', customAccountId: 'trial' }),
      await create('/api-keys', { name: 'c', customAccountId: 'trial', limits: [shadow] }),
    ];
    const others = await create('/api-keys', { name: 'd', customAccountId: 'others' });
    for (const { key } of [a, b, own, others]) await validate(key, 5);
    await nextMinute();
    const ofCustomer = await preview({ customAccountId: 'trial', limits: [minute] });
    expect(ofCustomer.evaluated).toEqual({ keys: 3, requests: 15, cost: 15 });
    expect(ofCustomer.limits).toMatchObject([
      { refused: 4, customers: [{ customAccountId: 'trial', keyId: null, refused: 4 }] },
    ]);
    const ofKey = await preview({ key: own.id, limits: [minute] });
    expect([ofKey.evaluated.requests, ofKey.limits[0].refused]).toEqual([5, 2]);
    const { id: planId } = await create('/plans', { name: 'Neither' });
    for (const wrong of [{ planId }, { credits: { amount: 1, interval: null } }]) {
      const { body } = await test.client.post('/plans/preview', { ...wrong, key: a.id });
      expect([body.code, body.message]).toEqual([
        'invalid_body',
        expect.stringContaining('planId'),
      ]);
    }
    const unknown = { key: a.id.replace(/.$/, (last: string) => (last === 'x' ? 'y' : 'x')) };
    expect((await test.client.post('/plans/preview', unknown)).body.code).toBe('key_not_found');
  });

  it('needs a plan of the given project, limits with different names, and the scopes plans:read and analytics:read', async () => {
    const plan = await create('/plans', { name: 'Mine' });
    const other = await create('/projects', { name: 'Other' });
    const body = { planId: plan.id, projectId: other.id };
    expect((await test.client.post('/plans/preview', body)).body.code).toBe('plan_not_found');
    const twice = await test.client.post('/plans/preview', {
      projectId: other.id,
      limits: [minute, minute],
    });
    expect([twice.status, twice.body.message]).toEqual([400, expect.stringContaining('minute')]);
    const { key } = await create('/access-keys', { name: 'Plans only', scopes: ['plans:read'] });
    const refused = await test.client.as(key).post('/plans/preview', { planId: plan.id });
    expect([refused.status, refused.body.code]).toEqual([403, 'scope_missing']);
  });
});
