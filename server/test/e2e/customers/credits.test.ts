import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storeEvents } from '../../harness/store-events.ts';
import { START, startTestApp, type TestApp } from '../../harness/test-app.ts';

const DAY_MS = 86_400_000;
let test: TestApp;

beforeAll(async () => {
  test = await startTestApp();
  await storeEvents(test.client);
});
afterAll(() => test.close());

const create = async (fields: object = {}) => {
  const { status, body } = await test.client.post('/api-keys', { name: 'Key', ...fields });
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
};
const validate = (key: string, fields: object = {}) =>
  test.client.post('/api-keys/auth', { key, ...fields });
const remaining = async (id: string) =>
  (await test.client.get(`/api-keys/${id}`)).body.credits?.remaining;
const change = (id: string, body: object, headers = {}) =>
  test.client.post(`/api-keys/${id}/credits`, body, headers);

const PLAIN = { held: 0, overdrawn: 0, refill: null, nextRefillAt: null, nextExpiry: null };

describe('a key with credits', () => {
  it('is valid while credits are left, and then refused with 429 until the refill', async () => {
    const refill = { amount: 2, interval: 'day', timezone: 'Europe/Berlin' };
    const { key, id, credits } = await create({ credits: { refill } });
    const nextRefillAt = '2030-01-01T23:00:00.000Z';
    const nextExpiry = { amount: 2, at: nextRefillAt };
    expect(credits).toEqual({ ...PLAIN, remaining: 2, refill, nextRefillAt, nextExpiry });
    for (const left of [1, 0]) {
      const { status, body, headers } = await validate(key);
      expect([status, headers.get('credits-remaining')]).toEqual([200, String(left)]);
      expect(body.credits).toEqual({ remaining: left, nextRefillAt });
    }
    const refused = await validate(key);
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({
      code: 'credits_exhausted',
      credits: { remaining: 0, nextRefillAt },
    });
    expect(refused.headers.get('credits-remaining')).toBe('0');
    expect(refused.headers.get('retry-after')).toBe(String(23 * 3600));
    expect(await remaining(id)).toBe(0);
    test.clock.now += DAY_MS;
    expect(await remaining(id)).toBe(2);
    expect((await validate(key)).status).toBe(200);
    test.clock.now = START;
  });

  it('pays the cost of the request, and nothing if it is refused', async () => {
    const { key, id } = await create({ credits: { remaining: 10 } });
    expect((await validate(key, { cost: 4 })).body.credits.remaining).toBe(6);
    const refused = await validate(key, { cost: 7 });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, null]);
    expect((await validate(key, { cost: 0 })).status).toBe(200);
    expect((await validate(key, { cost: 6 })).status).toBe(200);
    expect(await remaining(id)).toBe(0);
  });

  it('keeps its credits if a limit refuses; that limit is reported even if no credits are left', async () => {
    const rateLimitConfigs = { rateLimit: 1, rateLimitTtl: 60 };
    const { key, id } = await create({ rateLimitConfigs, credits: { remaining: 2 } });
    expect((await validate(key)).status).toBe(200);
    const limited = await validate(key);
    expect(limited.body.code).toBe('rate_limited');
    expect(limited.headers.get('credits-remaining')).toBe('1');
    expect(await remaining(id)).toBe(1);
    await change(id, { set: 0 });
    expect((await validate(key)).body.code).toBe('rate_limited');
    test.clock.now += 60_000;
    const exhausted = await validate(key);
    expect(exhausted.body.code).toBe('credits_exhausted');
    // The limit was checked, but not counted.
    expect(exhausted.headers.get('ratelimit-remaining')).toBe('1');
  });

  it('is refused in batches and at gateways too when no credits are left', async () => {
    const { key } = await create({ credits: { remaining: 1 } });
    const batch = await test.client.post('/api-keys/auth', { keys: [key, key] });
    expect(batch.body).toMatchObject([
      { valid: true, record: { credits: { remaining: 0, nextRefillAt: null } } },
      { valid: false, statusCode: 429, code: 'credits_exhausted', credits: { remaining: 0 } },
    ]);
    const gateway = await test.client.as(null).get('/gateway/verify?limited=403', {
      'x-keyward-access-key': test.accessKey,
      'x-keyward-key': key,
    });
    expect(gateway.status).toBe(403);
    expect(gateway.headers.get('x-keyward-status')).toBe('429');
    expect(gateway.headers.get('x-keyward-code')).toBe('credits_exhausted');
    expect(gateway.headers.get('credits-remaining')).toBe('0');
  });

  it('is counted as credits_exhausted when it is refused', async () => {
    const { key, id } = await create({ credits: { remaining: 0 } });
    await validate(key);
    await test.app.tally.flush();
    const row = await test.storage.read
      .selectFrom('usage_minutes')
      .innerJoin('api_keys', 'api_keys.seq', 'usage_minutes.seq')
      .where('api_keys.id', '=', id)
      .select(['valid', 'credits_exhausted'])
      .executeTakeFirst();
    expect(row).toEqual({ valid: 0, credits_exhausted: 1 });
  });

  it('shares them with the key that it is rotated to, until both are erased', async () => {
    const { key, id } = await create({ credits: { remaining: 5 } });
    const rotated = (await test.client.post(`/api-keys/${id}/rotate`, { graceSeconds: 60 })).body;
    expect(rotated.credits.remaining).toBe(5);
    await validate(key);
    expect((await validate(rotated.key)).body.credits.remaining).toBe(3);
    await test.client.delete(`/api-keys/${id}?permanent=true`);
    expect((await validate(rotated.key)).body.credits.remaining).toBe(2);
    await test.client.delete(`/api-keys/${rotated.id}?permanent=true`);
    const pools = test.storage.read.selectFrom('credit_pools').where('owner', '=', id);
    expect(await pools.selectAll().execute()).toEqual([]);
  });
});

describe('changing credits', () => {
  it('adds, removes and sets, with an audit row and an event', async () => {
    const { id } = await create();
    expect(await remaining(id)).toBeUndefined();
    expect((await change(id, { add: 10 })).body).toEqual({ ...PLAIN, remaining: 10 });
    expect((await change(id, { add: -100 })).body.remaining).toBe(0);
    expect((await change(id, { set: 7 })).body.remaining).toBe(7);
    const { body: rows } = await test.client.get('/audit-logs?action=credits.changed&limit=1');
    expect(rows[0]).toMatchObject({
      action: 'credits.changed',
      targetType: 'api-key',
      targetId: id,
      before: { credits: { remaining: 0 } },
      after: { credits: { remaining: 7 } },
    });
    const event = await test.storage.read
      .selectFrom('events')
      .where('type', '=', 'credits.changed')
      .orderBy('id', 'desc')
      .select('data')
      .executeTakeFirstOrThrow();
    expect(JSON.parse(event.data!)).toMatchObject({
      keyId: id,
      before: { remaining: 0 },
      after: { remaining: 7 },
    });
  });

  it('takes effect at once for a key that is cached without credits', async () => {
    const { key, id } = await create();
    expect((await validate(key)).body.credits).toBeUndefined();
    await change(id, { set: 1 });
    expect((await validate(key)).body.credits.remaining).toBe(0);
    expect((await validate(key)).status).toBe(429);
    await test.client.patch(`/api-keys/${id}`, { name: 'Key', credits: null });
    const free = await validate(key);
    expect([free.status, free.headers.get('credits-remaining')]).toEqual([200, null]);
  });

  it('happens once with an Idempotency-Key', async () => {
    const { id } = await create({ credits: { remaining: 0 } });
    const headers = { 'idempotency-key': 'top-up 1'.replace(' ', '-') };
    const first = await change(id, { add: 5 }, headers);
    const again = await change(id, { add: 5 }, headers);
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.body).toEqual(first.body);
    expect(await remaining(id)).toBe(5);
  });

  it('sets remaining and the refill with a PATCH', async () => {
    const { id } = await create({ credits: { remaining: 3 } });
    const patch = async (credits: unknown) =>
      (await test.client.patch(`/api-keys/${id}`, { name: 'Key', credits })).body.credits;
    const refill = { amount: 9, interval: 'hour', timezone: 'UTC' };
    expect(await patch({ refill: { amount: 9, interval: 'hour' } })).toMatchObject({
      remaining: 3,
      refill,
    });
    expect(await patch({ remaining: 1 })).toMatchObject({ remaining: 1, refill });
    expect(await patch({ refill: null })).toEqual({ ...PLAIN, remaining: 1 });
  });

  it('sends credits.changed for a PATCH that changes the balance', async () => {
    const { id } = await create({ credits: { remaining: 3 } });
    const customAccountId = 'patched';
    const customer = await test.client.post('/customers', {
      ...{ customAccountId, credits: { remaining: 4 } },
    });
    const events = async () => {
      const rows = test.storage.read.selectFrom('events').where('type', '=', 'credits.changed');
      const all = await rows.orderBy('id').select('data').execute();
      return all.map(({ data }) => JSON.parse(data!));
    };
    const { length } = await events();
    const key = `/api-keys/${id}`;
    await test.client.patch(key, { name: 'Key', credits: { remaining: 9 } });
    await test.client.patch(key, { name: 'Key', credits: { remaining: 9 } });
    const path = `/customers/${customer.body.id}`;
    await test.client.patch(path, { credits: { remaining: 8 } });
    await test.client.patch(path, { credits: { refill: { amount: 1, interval: 'day' } } });
    expect((await events()).slice(length)).toMatchObject([
      { keyId: id, customAccountId: null, before: { remaining: 3 }, after: { remaining: 9 } },
      { keyId: null, customAccountId, before: { remaining: 4 }, after: { remaining: 8 } },
    ]);
  });

  it('is not needed to see the balance: any other change of a key or customer returns it', async () => {
    const refill = { amount: 5, interval: 'day' };
    const { key, id } = await create({ credits: { refill } });
    const customAccountId = 'renamed';
    const made = await test.client.post('/customers', { customAccountId, credits: { refill } });
    const shared = await create({ customAccountId });
    for (const value of [key, shared.key]) await validate(value);
    // As if a flush had just been committed and the ledger did not know of it yet.
    await test.storage.transaction((tx) =>
      tx
        .updateTable('credit_blocks')
        .set({ spent: 1 })
        .where('owner', 'in', [id, customAccountId])
        .execute(),
    );
    const patch = async () => [
      (await test.client.patch(`/api-keys/${id}`, { name: `At ${test.clock.now}` })).body.credits,
      (await test.client.patch(`/customers/${made.body.id}`, { name: `At ${test.clock.now}` })).body
        .credits,
    ];
    const first = { remaining: 4, nextRefillAt: '2030-01-02T00:00:00.000Z' };
    expect(await patch()).toMatchObject([first, first]);
    test.clock.now += DAY_MS;
    const second = { remaining: 5, nextRefillAt: '2030-01-03T00:00:00.000Z' };
    expect(await patch()).toMatchObject([second, second]);
    await test.client.delete(`/api-keys/${id}`);
    const { body: rows } = await test.client.get('/audit-logs?limit=1');
    expect(rows[0].after.credits).toMatchObject(second);
    test.clock.now = START;
  });

  it.each([
    ['add and set', { add: 1, set: 1 }],
    ['neither', {}],
    ['a fraction', { add: 0.5 }],
    ['too many', { set: 1e12 + 1 }],
    ['a negative balance', { set: -1 }],
  ])('rejects %s', async (_, body) => {
    const { id } = await create();
    expect((await change(id, body)).status).toBe(400);
    expect(await remaining(id)).toBeUndefined();
  });

  it.each([
    ['an unknown time zone', { refill: { amount: 1, interval: 'day', timezone: 'Mars/Olympus' } }],
    ['an offset', { refill: { amount: 1, interval: 'day', timezone: '+02:00' } }],
    ['a year', { refill: { amount: 1, interval: 'year' } }],
    ['no amount', {}],
    ['nextRefillAt', { remaining: 1, nextRefillAt: '2030-01-01T00:00:00.000Z' }],
  ])('rejects credits with %s', async (_, credits) => {
    const response = await test.client.post('/api-keys', { name: 'Key', credits });
    expect([response.status, response.body.code]).toEqual([400, 'invalid_body']);
  });

  it('needs the scope credits:write', async () => {
    const { body } = await test.client.post('/access-keys', {
      name: 'Keys only',
      scopes: ['keys:read', 'keys:write'],
    });
    const limited = test.client.as(body.key);
    const { id } = await create({ credits: { remaining: 1 } });
    const calls = [
      limited.post('/api-keys', { name: 'Key', credits: { remaining: 1 } }),
      limited.patch(`/api-keys/${id}`, { name: 'Key', credits: null }),
      limited.post(`/api-keys/${id}/credits`, { add: 1 }),
    ];
    for (const { status } of await Promise.all(calls)) expect(status).toBe(403);
    expect((await limited.patch(`/api-keys/${id}`, { name: 'Renamed' })).status).toBe(200);
    expect(await remaining(id)).toBe(1);
  });
});

describe('a plan with credits', () => {
  it('opens a pool for each customer, shared by its keys, and for each key without a customer', async () => {
    const plan = await test.client.post('/plans', {
      name: 'Free',
      credits: { amount: 3, interval: 'month' },
    });
    expect(plan.body.credits).toEqual({ amount: 3, interval: 'month' });
    const planId = plan.body.id;
    const [a, b] = await Promise.all(
      [1, 2].map(() => create({ planId, customAccountId: 'plan customer' })),
    );
    const c = await create({ customAccountId: 'plan customer' });
    expect((await validate(c.key)).body.credits).toBeUndefined();
    const alone = await create({ planId });
    expect((await validate(a.key)).body.credits.remaining).toBe(2);
    expect((await validate(b.key)).body.credits.remaining).toBe(1);
    expect((await validate(alone.key)).body.credits.remaining).toBe(2);
    // This key of the same customer does not have the plan, and was cached before the pool was opened.
    expect((await validate(c.key)).body.credits.remaining).toBe(0);
    const { body } = await test.client.get(`/api-keys/${a.id}?effective=true`);
    expect(body.credits).toBeNull();
    expect(body.effective.credits.remaining).toBe(0);
    expect(await remaining(alone.id)).toBe(2);
  });

  it('gives its credits and refills even if credits are added before the first use', async () => {
    const plan = { name: 'Topped up', credits: { amount: 1_000, interval: 'month' } };
    const { body } = await test.client.post('/plans', plan);
    const refill = { ...plan.credits, timezone: 'UTC' };
    const nextRefillAt = '2030-02-01T00:00:00.000Z';
    const customAccountId = 'topped up';
    const customer = await test.client.post('/customers', { customAccountId, planId: body.id });
    const path = `/customers/${customer.body.id}/credits`;
    const added = await test.client.post(path, { add: 500 });
    const nextExpiry = { amount: 1_000, at: nextRefillAt };
    expect(added.body).toEqual({
      ...{ ...PLAIN, remaining: 1_500, refill, nextRefillAt, nextExpiry },
    });
    const paid = await create({ customAccountId });
    expect((await validate(paid.key)).body.credits).toEqual({ remaining: 1_499, nextRefillAt });
    test.clock.now = Date.parse(nextRefillAt);
    // What was bought stays.
    expect((await validate(paid.key)).body.credits.remaining).toBe(1_499);
    test.clock.now = START;

    const [alone, ofCustomer] = await Promise.all([
      create({ planId: body.id }),
      create({ planId: body.id, customAccountId: 'topped up by key' }),
    ]);
    expect((await change(alone.id, { set: 7 })).body).toEqual({
      ...{ ...PLAIN, remaining: 7, refill, nextRefillAt },
      nextExpiry: { amount: 7, at: nextRefillAt },
    });
    const other = await test.client.post('/customers', {
      ...{ customAccountId: 'set by PATCH', planId: body.id },
    });
    const patched = await test.client.patch(`/customers/${other.body.id}`, {
      ...{ credits: { remaining: 5 } },
    });
    expect(patched.body.credits).toEqual({
      ...{ ...PLAIN, remaining: 5, refill, nextRefillAt },
      nextExpiry: { amount: 5, at: nextRefillAt },
    });
    // The plan would open the pool of the customer. This pool belongs to the key alone.
    expect((await change(ofCustomer.id, { add: 7 })).body).toEqual({
      ...{ ...PLAIN, remaining: 7 },
    });
  });

  it('gives its refills even if a PATCH assigns it together with a balance', async () => {
    const plans = [];
    for (const amount of [10, 20])
      plans.push(
        (await test.client.post('/plans', { name: 'Plan', credits: { amount, interval: 'day' } }))
          .body,
      );
    const [old, planId] = plans.map(({ id }) => id);
    const change = { planId, credits: { remaining: 5 } };
    const credits = { remaining: 5, refill: { amount: 20, interval: 'day' } };
    const customAccountId = 'plan and balance';
    const { body } = await test.client.post('/customers', { customAccountId, planId: old });
    const customer = await test.client.patch(`/customers/${body.id}`, change);
    expect(customer.body).toMatchObject({ planId, credits });
    const { id } = await create({ planId: old });
    const key = await test.client.patch(`/api-keys/${id}`, { name: 'Key', ...change });
    expect(key.body).toMatchObject({ planId, credits });
  });

  it.each([{}, { credits: null }])(
    'opens a pool that a customer created later with %j takes over, with what its key has spent',
    async (fields) => {
      const plan = { name: 'Early', credits: { amount: 5, interval: 'day' } };
      const planId = (await test.client.post('/plans', plan)).body.id;
      const customAccountId = `created late with ${JSON.stringify(fields)}`;
      const { key } = await create({ customAccountId, planId });
      expect((await validate(key)).status).toBe(200);
      const { body } = await test.client.post('/customers', { customAccountId, ...fields });
      expect(body.credits.remaining).toBe(4);
    },
  );

  it('does not affect a customer that is created later with credits of its own', async () => {
    const plan = { name: 'Trial', credits: { amount: 1, interval: 'month' } };
    const planId = (await test.client.post('/plans', plan)).body.id;
    const customAccountId = 'buys after the trial';
    const { key } = await create({ customAccountId, planId });
    expect((await validate(key)).status).toBe(200);
    expect((await validate(key)).body.code).toBe('credits_exhausted');
    const credits = { refill: { amount: 1_000, interval: 'month' } };
    const { body } = await test.client.post('/customers', { customAccountId, credits });
    expect(body.credits).toMatchObject({ remaining: 1_000, refill: { amount: 1_000 } });
    expect((await validate(key)).body.credits.remaining).toBe(999);
  });

  it('refills its current amount, which responses and audit rows of unrelated changes show too', async () => {
    const plan = { name: 'Plan', credits: { amount: 5, interval: 'day' } };
    const { body } = await test.client.post('/plans', plan);
    const customAccountId = 'raised plan';
    const customer = await test.client.post('/customers', { customAccountId, planId: body.id });
    const [alone, shared] = [await create({ planId: body.id }), await create({ customAccountId })];
    for (const { key } of [alone, shared]) expect((await validate(key)).status).toBe(200);
    await test.client.patch(`/plans/${body.id}`, { credits: { amount: 8, interval: 'day' } });
    test.clock.now += DAY_MS;
    for (const path of [`/api-keys/${alone.id}`, `/customers/${customer.body.id}`]) {
      const patched = await test.client.patch(path, { name: 'Renamed' });
      expect(patched.body.credits.remaining).toBe(8);
      const { body: rows } = await test.client.get('/audit-logs?limit=100');
      const ofTarget = rows.filter(
        ({ action, targetId }: { action: string; targetId: string }) =>
          action.endsWith('.updated') && targetId === patched.body.id,
      );
      expect(ofTarget).toMatchObject([{ after: { credits: { remaining: 8 } } }]);
    }
    test.clock.now = START;
  });

  it('refills the pool of a customer as long as a key of the customer has this plan; after that, the default plan refills it', async () => {
    const plans = await Promise.all(
      [10, 20].map((amount) =>
        test.client.post('/plans', {
          ...{ name: `${amount} an hour`, projectId: test.projectId },
          credits: { amount, interval: 'hour' },
        }),
      ),
    );
    const [planId, defaultPlanId] = plans.map(({ body }) => body.id);
    const project = `/projects/${test.projectId}`;
    expect((await test.client.patch(project, { defaultPlanId })).status).toBe(200);
    const { key, id } = await create({ planId, customAccountId: 'own plan' });
    const left = async () => (await validate(key)).body.credits.remaining;
    expect(await left()).toBe(9);
    test.clock.now += 3_600_000;
    expect(await left()).toBe(9);
    await test.client.patch(`/api-keys/${id}`, { name: 'Key', planId: null });
    test.clock.now += 3_600_000;
    expect(await left()).toBe(19);
    await test.client.patch(project, { defaultPlanId: null });
    test.clock.now = START;
  });

  it('gives the first refill at the next interval to a customer who had no refills before', async () => {
    const plans = [];
    for (const interval of [null, 'day'])
      plans.push(
        (await test.client.post('/plans', { name: 'Plan', credits: { amount: 3, interval } })).body,
      );
    const [once, daily] = plans.map(({ id }) => id);
    const customAccountId = 'idle customer';
    const { body } = await test.client.post('/customers', { customAccountId, planId: once });
    const { key } = await create({ customAccountId });
    expect((await validate(key, { cost: 3 })).status).toBe(200);
    test.clock.now += 10 * DAY_MS;
    await test.client.patch(`/customers/${body.id}`, { planId: daily });
    const shown = async () => (await test.client.get(`/customers/${body.id}`)).body.credits;
    const nextRefillAt = '2030-01-12T00:00:00.000Z';
    expect(await shown()).toMatchObject({ remaining: 0, nextRefillAt });
    test.clock.now += 90 * DAY_MS;
    expect((await validate(key, { cost: 3 })).status).toBe(200);
    test.clock.now = START;
  });

  it('opens a pool that also pays for a rotated key without this plan', async () => {
    const { body: plan } = await test.client.post('/plans', {
      name: 'Rotated',
      credits: { amount: 5, interval: null },
    });
    const old = await create({});
    const rotated = await test.client.post(`/api-keys/${old.id}/rotate`, { graceSeconds: 600 });
    const changed = await test.client.patch(`/api-keys/${rotated.body.id}`, {
      ...{ name: 'Key', planId: plan.id },
    });
    expect(changed.status).toBe(200);
    expect((await validate(old.key)).body.credits).toBeUndefined();
    expect((await validate(rotated.body.key)).body.credits.remaining).toBe(4);
    expect((await validate(old.key)).body.credits.remaining).toBe(3);
  });
});

describe('a customer with credits', () => {
  it('shares them among its keys, whether the keys were created before or after it', async () => {
    const customAccountId = 'credit customer';
    const early = await create({ customAccountId });
    expect((await validate(early.key)).body.credits).toBeUndefined();
    const made = await test.client.post('/customers', {
      customAccountId,
      credits: { remaining: 4 },
    });
    expect(made.body.credits).toEqual({ ...PLAIN, remaining: 4 });
    const late = await create({ customAccountId });
    expect((await validate(early.key)).body.credits.remaining).toBe(3);
    expect((await validate(late.key)).body.credits.remaining).toBe(2);
    const path = `/customers/${made.body.id}`;
    expect((await test.client.get(path)).body.credits.remaining).toBe(2);
    const added = await test.client.post(`${path}/credits`, { add: 8 });
    expect([added.status, added.body.remaining]).toEqual([200, 10]);
    const patched = await test.client.patch(path, { credits: { remaining: 1 } });
    expect(patched.body.credits.remaining).toBe(1);
    expect((await validate(late.key)).status).toBe(200);
    expect((await validate(early.key)).body.code).toBe('credits_exhausted');
    // A key with credits of its own does not use those of its customer.
    await change(late.id, { set: 1 });
    expect((await validate(late.key)).status).toBe(200);
    await test.client.delete(path);
    expect((await validate(early.key)).body.credits).toBeUndefined();
  });

  it('loses its credits when it is deleted: then the plan of its keys pays, and a new customer gets only new credits', async () => {
    const plan = await test.client.post('/plans', {
      name: 'Small',
      credits: { amount: 2, interval: null },
    });
    const customAccountId = 'deleted customer';
    const { key } = await create({ customAccountId, planId: plan.body.id });
    const credits = { remaining: 100 };
    const { body } = await test.client.post('/customers', { customAccountId, credits });
    expect((await validate(key)).body.credits.remaining).toBe(99);
    const access = await test.client.post('/access-keys', {
      ...{ name: 'No credits', scopes: ['customers:read', 'customers:write'] },
    });
    const limited = test.client.as(access.body.key);
    expect((await limited.delete(`/customers/${body.id}`)).body.code).toBe('scope_missing');
    expect((await validate(key)).body.credits.remaining).toBe(98);
    const free = await test.client.post('/customers', { customAccountId: 'without credits' });
    expect((await limited.delete(`/customers/${free.body.id}`)).status).toBe(200);
    expect((await test.client.delete(`/customers/${body.id}`)).status).toBe(200);
    const { body: rows } = await test.client.get('/audit-logs?action=customer.deleted&limit=1');
    expect(rows[0].before.credits.remaining).toBe(98);
    expect((await validate(key)).body.credits.remaining).toBe(1);
    expect((await validate(key)).status).toBe(200);
    expect((await validate(key)).body.code).toBe('credits_exhausted');
    const again = await test.client.post('/customers', { customAccountId, credits });
    expect(again.body.credits.remaining).toBe(100);
    expect((await validate(key)).body.credits.remaining).toBe(99);
  });
});

it('nothing is added to a customer or key that is deleted at the same time', async () => {
  const pools = async (owner: string) =>
    (await test.storage.point.selectFrom('credit_pools').select('owner').execute()).filter(
      (row) => row.owner === owner,
    );
  const race = async (remove: () => Promise<unknown>, path: string) => {
    const adds = Array.from({ length: 10 }, () => test.client.post(path, { add: 500 }));
    const [results] = await Promise.all([Promise.all(adds), remove()]);
    for (const { status } of results) expect([200, 404]).toContain(status);
  };
  for (let n = 0; n < 5; n++) {
    const customAccountId = `deleted meanwhile ${n}`;
    const customer = await test.client.post('/customers', { customAccountId });
    const path = `/customers/${customer.body.id}`;
    await race(() => test.client.delete(path), `${path}/credits`);
    expect(await pools(customAccountId)).toEqual([]);
    const { id } = await create();
    await test.client.delete(`/api-keys/${id}`);
    const erase = () => test.client.delete(`/api-keys/${id}?permanent=true`);
    await race(erase, `/api-keys/${id}/credits`);
    expect(await pools(id)).toEqual([]);
  }
});

it('grants exactly 1,000 credits to 4,000 concurrent requests', async () => {
  const { key, id } = await create({ credits: { remaining: 1_000 } });
  const singles = Array.from({ length: 400 }, () => validate(key));
  const batches = Array.from({ length: 72 }, () =>
    test.client.post('/api-keys/auth', { keys: Array(50).fill(key) }),
  );
  const codes: string[] = [];
  for (const { status, body } of await Promise.all(singles))
    codes.push(status === 200 ? 'valid' : body.code);
  for (const { status, body } of await Promise.all(batches))
    if (status === 200) for (const result of body) codes.push(result.code);
    else codes.push(body.code);
  const counts = Object.fromEntries(
    [...Map.groupBy(codes, (code) => code)].map(([code, all]) => [code, all.length]),
  );
  expect(counts.valid).toBe(1_000);
  // The server may reject some of so many requests as overloaded.
  expect(
    Object.keys(counts)
      .filter((code) => code !== 'overloaded')
      .sort(),
  ).toEqual(['credits_exhausted', 'valid']);
  expect(await remaining(id)).toBe(0);
});

it('finds keys with few credits', async () => {
  const { body: project } = await test.client.post('/projects', { name: 'Few credits' });
  const create = async (name: string, credits: object | null) =>
    (await test.client.post('/api-keys', { name, projectId: project.id, credits })).body;
  const low = await create('Low', { remaining: 10 });
  const enough = await create('Enough', { remaining: 10 });
  await create('None', null);
  await create('Empty', { remaining: 0 });
  const use = async (key: string, times: number) => {
    for (let n = 0; n < times; n++) await test.client.post('/api-keys/auth', { key });
  };
  await use(low.key, 8);
  await use(enough.key, 7);
  const found = async (query: string) => {
    const { body } = await test.client.get(`/api-keys?projectId=${project.id}&${query}`);
    return body.map(({ name }: { name: string }) => name);
  };
  // What was spent is stored a moment later.
  await expect.poll(() => found('lowCredits=true')).toEqual(['Empty', 'Low']);
  expect(await found('lowCredits=false')).toEqual(['None', 'Enough']);
  const daily = await create('Daily', { refill: { amount: 10, interval: 'day' } });
  await use(daily.key, 8);
  await expect.poll(() => found('lowCredits=true')).toEqual(['Daily', 'Empty', 'Low']);
  // Nobody has used the key since, so the refill is not stored.
  test.clock.now += DAY_MS;
  expect(await found('lowCredits=true')).toEqual(['Empty', 'Low']);
  test.clock.now = START;
});
