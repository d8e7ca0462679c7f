// 6 s of CPU: each test begins with a new installation.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { START, startTestApp, type TestApp } from '../harness/test-app.ts';

const HOUR = 3_600_000;
const TOPICS = ['limit.threshold', 'credits.low', 'credits.exhausted'];

let test: TestApp;
beforeEach(async () => {
  test = await startTestApp();
  await subscribe();
});
afterEach(async () => {
  await test.close();
  expect(test.log.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
});

const subscribe = async () => {
  const hook = { name: 'Notices', url: 'https://example.com/hook', projectId: null };
  const response = await test.client.post('/webhooks', { ...hook, topics: TOPICS });
  expect(response.status).toBe(201);
  return response.body;
};

const newKey = async (body: object): Promise<{ id: string; key: string }> => {
  const fields = { name: 'Ada', projectId: test.projectId, ...body };
  const response = await test.client.post('/api-keys', fields);
  expect(response.status, response.text).toBe(201);
  return response.body;
};

const validate = async (key: string, times = 1, fields: object = {}) => {
  for (let n = 0; n < times; n++) await test.client.post('/api-keys/auth', { key, ...fields });
};

/** The notices so far, in order. */
async function notices() {
  await test.app.tally.flush();
  const rows = await test.storage.read
    .selectFrom('events')
    .selectAll()
    .where('type', 'in', TOPICS)
    .orderBy('id')
    .execute();
  return rows.map((row) => ({ type: row.type, ...JSON.parse(row.data) }));
}
const shares = async () => (await notices()).map(({ share }) => share);

describe('limit.threshold', () => {
  it('has the record of the key, and how much is consumed', async () => {
    const limit = { rateLimit: 5, rateLimitTtl: 60 };
    const { id, key } = await newKey({ rateLimitConfigs: limit, customAccountId: 'acme' });
    await validate(key, 3);
    expect(await notices()).toEqual([]);
    await validate(key);
    const { body: record } = await test.client.get(`/api-keys/${id}`);
    expect(await notices()).toMatchObject([
      {
        type: 'limit.threshold',
        ...record,
        lastUsedAt: expect.any(String),
        firstUsedAt: expect.any(String),
        name: 'default',
        keyName: 'Ada',
        share: 0.8,
        consumed: 4,
        limit: 5,
      },
    ]);
    expect(JSON.stringify(await notices())).not.toContain(key);
  });

  it('is sent once per window, and not again for refused requests', async () => {
    const { key } = await newKey({ rateLimitConfigs: { rateLimit: 5, rateLimitTtl: 7_200 } });
    await validate(key, 8);
    expect(await shares()).toEqual([0.8, 1]);
    test.clock.now += 1.5 * HOUR;
    await validate(key, 2);
    expect(await shares()).toEqual([0.8, 1]);
    test.clock.now += HOUR;
    await validate(key, 5);
    expect(await shares()).toEqual([0.8, 1, 0.8, 1]);
  });

  it('is sent at most once an hour', async () => {
    const { key } = await newKey({ rateLimitConfigs: { rateLimit: 2, rateLimitTtl: 1 } });
    for (let n = 0; n < 3; n++) {
      await validate(key, 2);
      test.clock.now += 2_000;
    }
    expect(await shares()).toEqual([1]);
    test.clock.now = START + HOUR;
    await validate(key, 2);
    expect(await shares()).toEqual([1, 1]);
  });

  it('is sent once although the key was read again meanwhile', async () => {
    const { id, key } = await newKey({ rateLimitConfigs: { rateLimit: 5, rateLimitTtl: 60 } });
    await validate(key, 4);
    await test.client.patch(`/api-keys/${id}`, { name: 'Renamed' });
    await test.app.tally.flush();
    await validate(key, 1, { cost: 0 });
    expect(await shares()).toEqual([0.8]);
  });

  it('names the limit that was reached, even if the keys of a customer share it or it is not enforced', async () => {
    const limits = [
      { name: 'day', rateLimit: 10, rateLimitTtl: 86_400, per: 'customer' },
      { name: 'burst', rateLimit: 4, rateLimitTtl: 10, algorithm: 'sliding', mode: 'shadow' },
    ];
    const fields = { customAccountId: 'acme', limits };
    const [first, second] = [await newKey(fields), await newKey(fields)];
    await validate(first.key, 4);
    expect((await notices()).map(({ name, share }) => [name, share])).toEqual([['burst', 1]]);
    await validate(second.key, 3, { cost: 2 });
    const last = (await notices()).filter(({ name }) => name === 'day');
    expect(last).toMatchObject([
      { id: second.id, share: 0.8, consumed: 8, limit: 10 },
      { id: second.id, share: 1, consumed: 10, limit: 10 },
    ]);
  });

  it('counts what a client leased', async () => {
    const { id, key } = await newKey({ rateLimitConfigs: { rateLimit: 100, rateLimitTtl: 60 } });
    await validate(key, 1, { lease: 85 });
    expect(await notices()).toMatchObject([{ id, share: 0.8, consumed: 85, limit: 100 }]);
  });

  it('counts leases of several limits, unless they are given back at once', async () => {
    const limits = [
      { name: 'day', rateLimit: 100, rateLimitTtl: 86_400 },
      { name: 'burst', rateLimit: 10, rateLimitTtl: 60 },
    ];
    const { id, key } = await newKey({ limits });
    const wanted = (burst: number) => ({
      ...{ lease: 1, policies: true },
      leases: {
        limits: [
          { name: 'day', amount: 80, needed: 1 },
          { name: 'burst', amount: burst, needed: burst },
        ],
      },
    });
    await validate(key, 1, wanted(11));
    expect(await notices()).toEqual([]);
    await validate(key, 1, wanted(7));
    expect(await notices()).toMatchObject([{ id, name: 'day', share: 0.8, consumed: 80 }]);
    await validate(key, 1, { ...wanted(4), cost: 4 });
    expect((await notices()).slice(1)).toEqual([]);
  });

  it('follows the settings of the project', async () => {
    const limited = { rateLimitConfigs: { rateLimit: 10, rateLimitTtl: 60 } };
    const set = (thresholds: number[]) =>
      test.client.patch(`/projects/${test.projectId}`, { notices: { thresholds } });
    const { key } = await newKey(limited);
    await validate(key);
    await set([]);
    await validate(key, 9);
    expect(await notices()).toEqual([]);
    await set([0.5]);
    const other = await newKey(limited);
    await validate(other.key, 5);
    expect(await notices()).toMatchObject([{ id: other.id, share: 0.5 }]);
  });

  it('is written only if a webhook or an email address is set', async () => {
    const { body: hooks } = await test.client.get('/webhooks');
    for (const { id } of hooks) await test.client.delete(`/webhooks/${id}`);
    const limited = { rateLimitConfigs: { rateLimit: 5, rateLimitTtl: 7_200 } };
    await validate((await newKey(limited)).key, 5);
    expect(await notices()).toEqual([]);
    const notified = await test.storage.read.selectFrom('threshold_notices').selectAll().execute();
    expect(notified).toEqual([]);
    await subscribe();
    await validate((await newKey(limited)).key, 5);
    expect(await shares()).toEqual([0.8, 1]);
  });
});

describe('credits', () => {
  const change = (id: string, body: object) => test.client.post(`/api-keys/${id}/credits`, body);
  const types = async () => (await notices()).map(({ type }) => type);

  it('are announced at 20 % and when none are left, once', async () => {
    const { id, key } = await newKey({ credits: { remaining: 10 } });
    await validate(key, 7);
    expect(await notices()).toEqual([]);
    await validate(key);
    expect(await notices()).toMatchObject([
      { type: 'credits.low', id, owner: 'key', remaining: 2, startingBalance: 10 },
    ]);
    await validate(key, 4);
    expect((await notices()).slice(1)).toMatchObject([
      { type: 'credits.exhausted', id, remaining: 0, startingBalance: 10 },
    ]);
    await validate(key, 2);
    expect(await notices()).toHaveLength(2);
  });

  it('are announced again after credits were set or added', async () => {
    const { id, key } = await newKey({ credits: { remaining: 5 } });
    await validate(key, 5);
    expect(await types()).toEqual(['credits.low', 'credits.exhausted']);
    await change(id, { add: 10 });
    await validate(key, 8);
    expect((await types()).slice(2)).toEqual(['credits.low']);
    await change(id, { set: 100 });
    await validate(key, 1, { cost: 100 });
    expect((await notices()).slice(3)).toMatchObject([
      { type: 'credits.exhausted', startingBalance: 100 },
    ]);
  });

  it('are announced again after a refill', async () => {
    const refill = { amount: 4, interval: 'day' };
    const { key } = await newKey({ credits: { refill } });
    await validate(key, 4);
    expect(await types()).toEqual(['credits.exhausted']);
    test.clock.now += 24 * HOUR;
    await validate(key, 4);
    expect(await types()).toEqual(['credits.exhausted', 'credits.exhausted']);
  });

  it('of a customer are announced with the key that used them', async () => {
    const fields = { customAccountId: 'acme', projectId: test.projectId };
    await test.client.post('/customers', { ...fields, credits: { remaining: 10 } });
    const { id, key } = await newKey(fields);
    await validate(key, 1, { cost: 9 });
    expect(await notices()).toMatchObject([
      { type: 'credits.low', id, owner: 'customer', remaining: 1, customAccountId: 'acme' },
    ]);
  });

  it('that a client leased count as left until it has reported their use', async () => {
    const { id, key } = await newKey({ credits: { remaining: 10 } });
    const lease = async (cost: number) => {
      const body = { key, cost, lease: 1, policies: true };
      return (await test.client.post('/api-keys/auth', body)).body.credits;
    };
    const end = ({ pool, lease }: { pool: string; lease: { id: string } }, unused: number) => {
      const leases = [{ keyId: id, pool, leaseId: lease.id, unused }];
      return test.client.post('/api-keys/leases/return', { leases });
    };
    const first = await lease(9);
    expect(await notices()).toEqual([]);
    await end(first, 1);
    expect(await notices()).toMatchObject([
      { type: 'credits.low', id, owner: 'key', remaining: 2, startingBalance: 10 },
    ]);
    const last = await lease(2);
    expect(await types()).toEqual(['credits.low']);
    await end(last, 0);
    await end(last, 0);
    await lease(1);
    expect((await notices()).slice(1)).toMatchObject([
      { type: 'credits.exhausted', id, remaining: 0, startingBalance: 10 },
    ]);
  });

  it('that a client used are deducted before the next request on this node', async () => {
    const { id, key } = await newKey({ credits: { remaining: 10 } });
    await validate(key);
    const { body } = await test.client.post('/api-keys/auth', {
      ...{ key, cost: 5, lease: 1, policies: true },
    });
    await validate(key);
    const { pool, lease } = body.credits;
    const leases = [{ keyId: id, pool, leaseId: lease.id, unused: 0 }];
    await test.client.post('/api-keys/leases/return', { leases });
    expect(await notices()).toEqual([]);
    const { headers } = await test.client.post('/api-keys/auth', { key });
    expect(headers.get('credits-remaining')).toBe('2');
    expect(await types()).toEqual(['credits.low']);
  });
});
