import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../server/test/harness/test-app.ts';
import { LocalKeyward, type LocalOptions } from '../../src/local/index.ts';
import { fromCache } from './from-cache.ts';

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

const createKey = async (body: object): Promise<{ key: string; id: string }> =>
  (await app.client.post('/api-keys', { name: 'Key', projectId: app.projectId, ...body })).body;

const requests = () => app.log.filter((line) => line.includes('"url":"/api-keys/auth')).length;

async function outcomesOf(id: string): Promise<Record<string, number>> {
  await app.app.tally.flush();
  const { body } = await app.client.get(`/analytics/usage?groupBy=outcome&interval=day&key=${id}`);
  const counted: Record<string, number> = {};
  for (const { group, total } of body)
    if (total > 0) counted[group] = (counted[group] ?? 0) + total;
  return counted;
}

const remainingOf = async (key: string) => {
  const body = { key, permissions: 'documents.read', clientIP: '10.0.0.1' };
  const response = await app.client.post('/api-keys/auth', body);
  return Number(response.headers.get('ratelimit-remaining'));
};

describe('a cached key', () => {
  it('is checked for permissions without the server', async () => {
    const local = await open();
    const { key } = await createKey({ permissions: ['documents.*', 'users.list'] });
    await fromCache(local, key);
    const before = requests();
    expect(local.validate(key, { permissions: 'documents.read' })).toMatchObject({
      valid: true,
      record: { permissions: ['documents.*', 'users.list'] },
    });
    expect(local.validate(key, { permissions: { any: ['a', 'users.list'] } })).toMatchObject({
      valid: true,
    });
    expect(local.validate(key, { permissions: ['users.list', 'users.add', 'b'] })).toEqual({
      valid: false,
      allowed: false,
      record: null,
      code: 'permission_denied',
      statusCode: 403,
      rateLimit: null,
      retryAfterSeconds: null,
      missing: ['users.add', 'b'],
    });
    expect(local.validate(key)).toMatchObject({ valid: true });
    expect(requests()).toBe(before);
  });

  it('counts the cost without the server', async () => {
    const local = await open();
    const { key, id } = await createKey({});
    await fromCache(local, key);
    const before = requests();
    for (const cost of [0, 1, 7])
      expect(local.validate(key, { cost })).toMatchObject({ valid: true });
    expect(requests()).toBe(before);
    await local.close();
    await app.app.tally.flush();
    const { body } = await app.client.get(`/analytics/api-key-totals?key=${id}`);
    expect(body[0].cost - body[0].valid).toBe(8 - 3);
  });

  it('without permissions is refused if some are required', async () => {
    const local = await open();
    const { key } = await createKey({});
    await fromCache(local, key);
    expect(local.validate(key, { permissions: 'a' })).toMatchObject({ missing: ['a'] });
    expect(local.validate(key, { clientIP: 'not an address' })).toMatchObject({ valid: true });
  });

  it('is checked for addresses without the server', async () => {
    const local = await open();
    const { key } = await createKey({ allowedIPs: ['10.0.0.0/8', '2001:db8::/32'] });
    await fromCache(local, key, { clientIP: '10.0.0.1' });
    const before = requests();
    for (const clientIP of ['10.255.0.1', '::ffff:10.0.0.1', '2001:db8:1::'])
      expect(local.validate(key, { clientIP }), clientIP).toMatchObject({ valid: true });
    for (const clientIP of [undefined, '11.0.0.1', '2001:db9::', '10.0.0.1:80', ''])
      expect(local.validate(key, { clientIP }), clientIP).toMatchObject({
        code: 'ip_denied',
        statusCode: 403,
      });
    expect(requests()).toBe(before);
  });

  it('applies changed permissions and addresses', async () => {
    const local = await open();
    const { key, id } = await createKey({ permissions: ['a'] });
    await fromCache(local, key, { permissions: 'a' });
    await app.client.patch(`/api-keys/${id}`, {
      name: 'Key',
      permissions: ['b'],
      allowedIPs: ['10.0.0.1'],
    });
    while (local.size > 0) await sleep(5);
    expect(await local.validate(key, { permissions: 'b' })).toMatchObject({ code: 'ip_denied' });
    const options = { permissions: 'a', clientIP: '10.0.0.1' };
    expect(await local.validate(key, options)).toMatchObject({ code: 'permission_denied' });
    expect(await local.validate(key, { ...options, permissions: 'b' })).toMatchObject({
      valid: true,
    });
  });

  it('is refused for the first check that fails, in the order of the server', async () => {
    const local = await open();
    const { key } = await createKey({
      allowedDomains: ['a.example'],
      allowedIPs: ['10.0.0.1'],
      permissions: ['a'],
      rateLimitConfigs: { rateLimit: 1, rateLimitTtl: 300 },
    });
    const all = { originDomain: 'a.example', clientIP: '10.0.0.1', permissions: 'a' };
    expect(await local.validate(key, all)).toMatchObject({ valid: true });
    for (const [options, code] of [
      [{}, 'domain_denied'],
      [{ originDomain: 'a.example' }, 'ip_denied'],
      [{ originDomain: 'a.example', permissions: 'b' }, 'ip_denied'],
      [{ ...all, permissions: 'b' }, 'permission_denied'],
      [all, 'rate_limited'],
    ] as const) {
      expect(await local.validate(key, options)).toMatchObject({ code });
      expect(await local.client.validate(key, options)).toMatchObject({ code });
      // A process that does not have the key yet decides the same.
      expect(await (await open()).validate(key, options)).toMatchObject({ code });
    }
  });
});

describe('a refusal', () => {
  it('consumes nothing from the limit, from the first request on', async () => {
    const local = await open({ reportEveryMs: 50 });
    const { key, id } = await createKey({
      permissions: ['documents.read'],
      allowedIPs: ['10.0.0.1'],
      rateLimitConfigs: { rateLimit: 100, rateLimitTtl: 300 },
    });
    const good = { permissions: 'documents.read', clientIP: '10.0.0.1' };
    for (let n = 0; n < 20; n++) {
      expect(await local.validate(key, { ...good, permissions: 'documents.write' })).toMatchObject({
        code: 'permission_denied',
      });
      expect(await local.validate(key, { ...good, clientIP: '10.0.0.2' })).toMatchObject({
        code: 'ip_denied',
      });
    }
    for (let n = 0; n < 5; n++)
      expect(await local.validate(key, good)).toMatchObject({ valid: true });
    await local.close();
    // This call takes one more.
    expect(await remainingOf(key)).toBe(94);
    expect(await outcomesOf(id)).toEqual({ valid: 6, permission_denied: 20, ip_denied: 20 });
  });

  it('is counted once over many reports', async () => {
    const local = await open({ reportEveryMs: 10 });
    const { key, id } = await createKey({ permissions: ['a'] });
    for (let n = 0; n < 30; n++) {
      await local.validate(key, { permissions: 'a' });
      await local.validate(key, { permissions: 'b' });
      if (n % 10 === 0) await sleep(30);
    }
    await local.close();
    expect(await outcomesOf(id)).toEqual({ valid: 30, permission_denied: 30 });
  });

  it('shares one request with concurrent validations that require other permissions', async () => {
    const local = await open();
    const requestsOfMany = async () => {
      const { key } = await createKey({ permissions: ['a'] });
      // Once a later key is cached, all change events of this one have arrived.
      await fromCache(local, (await createKey({})).key);
      const before = requests();
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          local.validate(key, { permissions: n % 2 === 0 ? 'a' : 'b' }),
        ),
      );
      expect(results.map(({ valid }) => valid)).toEqual(results.map((_, n) => n % 2 === 0));
      return requests() - before;
    };
    // On a busy machine a heartbeat may be late, and each caller asks the server.
    await expect.poll(requestsOfMany).toBe(1);
  });
});

it('a key that is dropped while more of its limit is being leased still takes credits for each request', async () => {
  const customAccountId = 'dropped during a request';
  const customer = { customAccountId, projectId: app.projectId, credits: { remaining: 100_000 } };
  const { body } = await app.client.post('/customers', customer);
  const rateLimitConfigs = { rateLimit: 100_000, rateLimitTtl: 300 };
  const busy = await createKey({ customAccountId });
  const dropped = await createKey({ customAccountId, rateLimitConfigs });
  let isDropped = false;
  const local: LocalKeyward = await open({
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      const { key, cost, leases } = JSON.parse(String(init?.body ?? '{}'));
      // This request asks only for more of the limit: the leased credits, which both keys share, suffice.
      if (!isDropped && key === dropped.key && cost > 0 && leases?.credits?.amount === 0) {
        const before = local.size;
        await app.client.patch(`/api-keys/${dropped.id}`, { name: 'Renamed' });
        while (local.size === before) await sleep(5);
        isDropped = true;
      }
      return response;
    },
  });
  let spent = 0;
  const validate = async (key: string) => {
    expect(await local.validate(key)).toMatchObject({ valid: true, record: { credits: {} } });
    spent++;
  };
  while (!isDropped) {
    for (let n = 0; n < 5; n++) await validate(busy.key);
    await validate(dropped.key);
  }
  for (let n = 0; n < 50; n++) await validate(dropped.key);
  await local.close();
  const { body: after } = await app.client.get(`/customers/${body.id}`);
  expect(after.credits.remaining).toBe(100_000 - spent);
});

it('unused credits are returned within seconds, however rarely usage is reported', async () => {
  const customAccountId = 'rare reports';
  const customer = { customAccountId, projectId: app.projectId, credits: { remaining: 100_000 } };
  const { body } = await app.client.post('/customers', customer);
  const { key } = await createKey({ customAccountId });
  const local = await open({ reportEveryMs: 3_600_000 });
  for (let n = 0; n < 100; n++) expect(await local.validate(key)).toMatchObject({ valid: true });
  // Leased credits count as left until the lease ends. Without a return, all of them would then count as
  // spent.
  await expect
    .poll(async () => (await app.client.get(`/customers/${body.id}`)).body.credits.remaining)
    .toBe(100_000 - 100);
});

it('a key that has not started is not cached, and is valid once it has', async () => {
  const local = await open();
  const startsAt = new Date(Date.now() + 3_600_000).toISOString();
  const { key, id } = await createKey({ startsAt });
  for (let n = 0; n < 3; n++)
    expect(await local.validate(key)).toMatchObject({ code: 'key_not_started', statusCode: 404 });
  expect(local.size).toBe(0);
  const started = new Date(Date.now() - 1_000).toISOString();
  await app.client.patch(`/api-keys/${id}`, { name: 'Key', startsAt: started });
  expect(await local.validate(key)).toMatchObject({ valid: true });
  expect(await fromCache(local, key)).toMatchObject({ valid: true });
});

it('invalid permissions throw, whether the key is cached or unknown, or the stream is closed', async () => {
  const local = await open();
  const { key } = await createKey({ permissions: ['*'] });
  await fromCache(local, key);
  const validate = async (value: string) => local.validate(value, { permissions: 'a.*' });
  const error = { code: 'invalid_body', statusCode: 400 };
  await expect(validate(key)).rejects.toMatchObject(error);
  await expect(validate('unknown-key-value')).rejects.toMatchObject(error);
  await local.close();
  await expect(validate(key)).rejects.toMatchObject(error);
});
