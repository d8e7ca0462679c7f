import { LocalKeyward, type LocalOptions, type ValidateOptions } from 'keyward/local';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fromCache } from '../../../../sdk/test/local/from-cache.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

const HOUR = 3_600;

let app: TestApp;
const opened: LocalKeyward[] = [];
beforeAll(async () => {
  app = await startTestApp({ realClock: true });
});
afterEach(async () => {
  for (const local of opened.splice(0)) await local.close();
});
afterAll(() => app.close());

async function open(options: Partial<LocalOptions> = {}): Promise<LocalKeyward> {
  const local = new LocalKeyward({ ...app.sdkOptions, ...options });
  opened.push(local);
  await local.ready;
  return local;
}

/** A client whose process is killed: from then on nothing that it sends arrives. */
async function openKillable() {
  let isKilled = false;
  const cut: typeof fetch = (input, init) =>
    isKilled ? Promise.reject(new Error('killed')) : fetch(input, init);
  const local = await open({ fetch: cut, onUnavailable: 'deny', log: () => {} });
  return {
    local,
    kill: () => {
      isKilled = true;
    },
  };
}

const limit = (name: string, rateLimit: number, others: object = {}) => ({
  ...{ name, rateLimit, rateLimitTtl: HOUR },
  ...others,
});
const createKey = async (body: object): Promise<{ key: string; id: string }> =>
  (await app.client.post('/api-keys', { name: 'Key', projectId: app.projectId, ...body })).body;
const requests = () => app.log.filter((line) => line.includes('"url":"/api-keys/auth')).length;

/** Validates until a request is refused; returns how many were admitted. */
async function useUp(local: LocalKeyward, key: string, options: ValidateOptions = {}) {
  for (let admitted = 0; ; admitted++)
    if (!(await local.validate(key, options)).allowed) return admitted;
}

/** What is left of each limit, by name. */
async function remaining(key: string): Promise<Record<string, number>> {
  const { body } = await app.client.post('/api-keys/auth', { key, cost: 0 });
  const states: { name: string; remaining: number }[] = body.rateLimits;
  return Object.fromEntries(states.map((each) => [each.name, each.remaining]));
}
const creditsOf = async (id: string): Promise<number> =>
  (await app.client.get(`/api-keys/${id}`)).body.credits.remaining;

async function usageOf(id: string): Promise<Record<string, number>> {
  await app.app.tally.flush();
  const { body } = await app.client.get(`/analytics/usage?groupBy=outcome&interval=day&key=${id}`);
  const counted: Record<string, number> = {};
  for (const { group, total } of body)
    if (total > 0) counted[group] = (counted[group] ?? 0) + total;
  return counted;
}

describe('a key with several limits', () => {
  it('is validated without the server, with the same result as by the server', async () => {
    const local = await open();
    const { key } = await createKey({
      limits: [limit('hour', 10_000), limit('day', 20_000, { algorithm: 'sliding' })],
      rateLimitConfigs: { rateLimit: 30_000, rateLimitTtl: HOUR },
    });
    for (let n = 0; n < 200; n++) await local.validate(key);
    const before = requests();
    const result = await fromCache(local, key);
    expect(requests() - before).toBeLessThanOrEqual(1);
    const expected = await local.client.validate(key);
    expect(result).toMatchObject({ valid: true, rateLimit: { limit: 10_000 } });
    expect(Object.keys(result.record!)).toEqual(Object.keys(expected.record!));
    const states = ({ record }: typeof result) =>
      record!.rateLimits!.map(({ name, limit: most, exceeded }) => [name, most, exceeded]);
    expect(states(result)).toEqual(states(expected));
    expect(states(result)).toEqual([
      ['default', 30_000, false],
      ['hour', 10_000, false],
      ['day', 20_000, false],
    ]);
  });

  it('takes from all of them or from none, and returns what it did not use', async () => {
    const local = await open();
    const { key, id } = await createKey({ limits: [limit('few', 7), limit('many', 1_000)] });
    expect(await useUp(local, key)).toBe(7);
    expect(await local.validate(key)).toMatchObject({
      code: 'rate_limited',
      statusCode: 429,
      limit: 'few',
      rateLimit: { limit: 7, remaining: 0 },
      rateLimits: [
        { name: 'few', remaining: 0, exceeded: true },
        { name: 'many', exceeded: false },
      ],
    });
    const refusedByServer = await local.client.validate(key);
    expect(await local.validate(key)).toMatchObject({
      ...refusedByServer,
      ...{ rateLimit: expect.anything(), rateLimits: expect.anything() },
      retryAfterSeconds: expect.any(Number),
    });
    await local.close();
    expect(await remaining(key)).toEqual({ few: 0, many: 993 });
    expect(await usageOf(id)).toMatchObject({ valid: 8 });
  });

  it('is not refused by a limit in shadow mode, which counts up to its limit', async () => {
    const local = await open();
    const { key } = await createKey({
      limits: [limit('trial', 5, { mode: 'shadow' }), limit('real', 1_000)],
    });
    const exceeded: boolean[] = [];
    for (let n = 0; n < 12; n++) {
      const { record, allowed } = await local.validate(key);
      expect(allowed).toBe(true);
      exceeded.push(record!.rateLimits!.find(({ name }) => name === 'trial')!.exceeded);
    }
    expect(exceeded).toEqual(Array.from({ length: 12 }, (_, n) => n >= 5));
    await local.close();
    expect(await remaining(key)).toEqual({ trial: 0, real: 988 });
  });

  it('shares the limits per customer with the other keys of the customer', async () => {
    const local = await open();
    const customAccountId = `customer-${Math.random()}`;
    const limits = [limit('all', 60, { per: 'customer' }), limit('own', 40)];
    const keys = [];
    for (let n = 0; n < 3; n++) keys.push(await createKey({ customAccountId, limits }));
    let admitted = 0;
    for (let n = 0; n < 40; n++)
      for (const { key } of keys) if ((await local.validate(key)).allowed) admitted++;
    expect(admitted).toBe(60);
    await local.close();
    const left = await Promise.all(keys.map(({ key }) => remaining(key)));
    expect(left.map(({ all }) => all)).toEqual([0, 0, 0]);
    expect(left.reduce((sum, { own }) => sum + 40 - own!, 0)).toBe(60);
  });

  it('counts different limits on one counter separately', async () => {
    const local = await open();
    const customAccountId = `customer-${Math.random()}`;
    const keyOf = (most: number) =>
      createKey({ customAccountId, limits: [limit('all', most, { per: 'customer' })] });
    const [large, small] = [await keyOf(400), await keyOf(10)];
    for (let n = 0; n < 50; n++) expect((await local.validate(large.key)).allowed).toBe(true);
    // Some requests of the larger limit may only be leased, but more than 10 are counted.
    expect(await local.validate(small.key)).toMatchObject({ code: 'rate_limited', limit: 'all' });
  });
});

describe('cost', () => {
  it('is taken from leases, and what does not fit takes nothing', async () => {
    const local = await open();
    const { key, id } = await createKey({ limits: [limit('hour', 120)] });
    const costs = [5, 1, 7, 100, 3, 20];
    const allowed = [];
    for (const cost of costs) allowed.push((await local.validate(key, { cost })).allowed);
    expect(allowed).toEqual([true, true, true, true, true, false]);
    expect(await local.validate(key, { cost: 4 })).toMatchObject({ valid: true });
    expect(await local.validate(key)).toMatchObject({ code: 'rate_limited' });
    await local.close();
    expect(await remaining(key)).toEqual({ hour: 0 });
    await app.app.tally.flush();
    const { body } = await app.client.get(`/analytics/api-key-totals?key=${id}`);
    expect(body[0]).toMatchObject({ valid: 7, cost: 120 });
  });

  it('of 0 consumes nothing and is always admitted', async () => {
    const local = await open();
    const { key } = await createKey({ limits: [limit('hour', 1)] });
    for (let n = 0; n < 3; n++)
      expect(await local.validate(key, { cost: 0 })).toMatchObject({
        valid: true,
        record: { rateLimits: [{ name: 'hour', remaining: 1 }] },
      });
    expect(await local.validate(key)).toMatchObject({ valid: true });
    expect(await local.validate(key)).toMatchObject({ code: 'rate_limited' });
    expect(await local.validate(key, { cost: 0 })).toMatchObject({
      valid: true,
      record: { rateLimits: [{ name: 'hour', remaining: 0, exceeded: false }] },
    });
  });

  it.each([-1, 1.5, 1_000_001])('of %f is rejected like on the server', async (cost) => {
    const local = await open();
    const { key } = await createKey({});
    await fromCache(local, key);
    const validate = async () => local.validate(key, { cost });
    await expect(validate()).rejects.toMatchObject({ code: 'invalid_body', statusCode: 400 });
  });
});

describe('credits', () => {
  it('are spent from leases to the last one, then the key is refused', async () => {
    const local = await open();
    const { key, id } = await createKey({ credits: { remaining: 300 } });
    const first = await local.validate(key);
    expect(first).toMatchObject({ record: { credits: { remaining: 299, nextRefillAt: null } } });
    expect(1 + (await useUp(local, key))).toBe(300);
    expect(await local.validate(key)).toMatchObject({
      code: 'credits_exhausted',
      statusCode: 429,
      credits: { nextRefillAt: null },
    });
    await local.client.apiKeys.changeCredits(id, { add: 20 });
    await expect.poll(async () => (await local.validate(key)).allowed).toBe(true);
    expect(1 + (await useUp(local, key, { cost: 2 }))).toBe(10);
    expect(await local.validate(key)).toMatchObject({ valid: true });
    await local.close();
    expect(await creditsOf(id)).toBe(0);
    expect((await usageOf(id)).valid).toBe(300 + 11);
  });

  it('that were leased and not used return on close', async () => {
    const local = await open();
    const { key, id } = await createKey({ credits: { remaining: 10_000 } });
    for (let n = 0; n < 500; n++) await local.validate(key);
    await local.close();
    expect(await creditsOf(id)).toBe(9_500);
  });

  it('are not taken if a limit refuses, which is reported first', async () => {
    const local = await open();
    const { key, id } = await createKey({
      credits: { remaining: 100 },
      limits: [limit('hour', 30)],
    });
    expect(await useUp(local, key)).toBe(30);
    expect(await local.validate(key)).toMatchObject({ code: 'rate_limited', limit: 'hour' });
    await local.close();
    expect(await creditsOf(id)).toBe(70);
  });

  it('of a customer are shared by its keys, in several processes', async () => {
    const customAccountId = `customer-${Math.random()}`;
    const { projectId } = app;
    await app.client.post('/customers', {
      customAccountId,
      projectId,
      credits: { remaining: 400 },
    });
    const keys = [await createKey({ customAccountId }), await createKey({ customAccountId })];
    const clients = [await open(), await open(), await open()];
    const admitted = await Promise.all(
      clients.flatMap((local) => keys.map(({ key }) => useUp(local, key))),
    );
    const sum = admitted.reduce((total, each) => total + each, 0);
    expect(sum).toBeLessThanOrEqual(400);
    for (const local of clients) await local.close();
    const { body } = await app.client.get(`/customers/${customAccountId}?projectId=${projectId}`);
    expect(body.credits.remaining).toBe(400 - sum);
  });

  it('that a killed process held count as spent, so never more is granted', async () => {
    const { key } = await createKey({ credits: { remaining: 1_000 } });
    let admitted = 0;
    for (let n = 0; n < 3; n++) {
      const { local, kill } = await openKillable();
      for (let use = 0; use < 100; use++) if ((await local.validate(key)).allowed) admitted++;
      kill();
      for (let use = 0; use < 100; use++) if ((await local.validate(key)).allowed) admitted++;
    }
    const survivor = await open();
    admitted += await useUp(survivor, key);
    expect(admitted).toBeLessThanOrEqual(1_000);
    // Each of the killed processes held at most two leases of a twentieth.
    expect(admitted).toBeGreaterThanOrEqual(700);
    await survivor.close();
    while ((await app.client.post('/api-keys/auth', { key })).status === 200) admitted++;
    expect(admitted).toBeLessThanOrEqual(1_000);
  });
});

describe('a limit of 1,000 over four processes', () => {
  it.each([
    ['fixed', {}],
    ['sliding', { algorithm: 'sliding' }],
  ])('admits no more, and hardly fewer: %s', async (_, algorithm) => {
    const clients = [await open(), await open(), await open(), await open()];
    const limits = [limit('hour', 1_000, algorithm), limit('other', 5_000)];
    const { key } = await createKey({ limits });
    const admitted = await Promise.all(clients.map((local) => useUp(local, key)));
    const sum = admitted.reduce((total, each) => total + each, 0);
    expect(sum).toBeLessThanOrEqual(1_000);
    expect(sum).toBeGreaterThanOrEqual(950);
    for (const local of clients) await local.close();
    expect(await remaining(key)).toEqual({ hour: 1_000 - sum, other: 5_000 - sum });
  });
});

describe('a change of a plan or customer', () => {
  it('drops the keys that it concerns, and no others of the project', async () => {
    const local = await open();
    const { projectId } = app;
    const { body: plan } = await app.client.post('/plans', { name: 'Plan', projectId });
    const customAccountId = `customer-${Math.random()}`;
    const planned = await createKey({ planId: plan.id });
    const ofCustomer = await createKey({ customAccountId });
    const other = await createKey({ customAccountId: 'other' });
    for (const { key } of [planned, ofCustomer, other]) await fromCache(local, key);
    expect(local.size).toBe(3);
    await app.client.patch(`/plans/${plan.id}`, { limits: [limit('hour', 1)] });
    await expect.poll(() => local.size).toBe(2);
    expect(await local.validate(planned.key)).toMatchObject({
      record: { rateLimits: [{ name: 'hour', limit: 1 }] },
    });
    expect(await local.validate(planned.key)).toMatchObject({ code: 'rate_limited' });
    await fromCache(local, planned.key);
    await app.client.post('/customers', { customAccountId, projectId, permissions: ['a'] });
    await expect.poll(() => local.size).toBe(2);
    expect(await local.validate(ofCustomer.key, { permissions: 'a' })).toMatchObject({
      valid: true,
    });
    await fromCache(local, other.key);
    const before = requests();
    expect(local.validate(other.key)).toMatchObject({ valid: true });
    expect(requests()).toBe(before);
  });
});

describe('limits by unit, resource and the calendar', () => {
  it('are counted by the server, which is asked for leases only once', async () => {
    await app.client.patch(`/projects/${app.projectId}`, { units: ['tokens'] });
    const tokens = limit('tokens', 100, { unit: 'tokens' });
    const chat = limit('chat', 3, { for: ['POST:/chat'] });
    const { key } = await createKey({ limits: [tokens, chat] });
    let calls = 0;
    const counting: typeof fetch = (input, init) => {
      if (String(input).endsWith('/api-keys/auth')) calls++;
      return fetch(input, init);
    };
    const local = await open({ fetch: counting });
    const options = { resource: 'POST:/chat' };
    for (let n = 0; n < 3; n++)
      expect((await local.validate(key, options)).record).toMatchObject({
        rateLimits: [{ name: 'tokens' }, { name: 'chat', remaining: 2 - n }],
      });
    expect(calls).toBe(4);
    expect(await local.validate(key, options)).toMatchObject({ valid: false, limit: 'chat' });
    const priced = await local.validate(key, { cost: { tokens: 40 } });
    expect(priced.record).toMatchObject({ rateLimits: [{ name: 'tokens', remaining: 60 }] });
    expect(await local.validate(key, { cost: { tokens: 101 } })).toMatchObject({
      ...{ valid: false, limit: 'tokens' },
    });
  });

  it('let a key without limits cost units, which the server checks', async () => {
    const { key } = await createKey({});
    const local = await open();
    expect(await local.validate(key)).toMatchObject({ valid: true });
    expect(await local.validate(key, { cost: { tokens: 5 } })).toMatchObject({ valid: true });
    await expect(local.validate(key, { cost: { words: 5 } })).rejects.toMatchObject({
      code: 'unit_not_declared',
    });
  });
});
