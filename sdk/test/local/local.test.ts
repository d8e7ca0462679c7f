import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
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
const createKey = async (body: object = {}) =>
  (await app.client.post('/api-keys', { name: 'Key', projectId: app.projectId, ...body })).body;
/** Number of validations that the server has processed. */
const serverValidations = () =>
  Object.values(app.app.validator.outcomes).reduce((a, b) => a + b, 0);
const leaseRequests = () =>
  app.log.filter((line) => line.includes('"url":"/api-keys/auth"')).length;

/**
 * Returns a key that expired after it was cached. If the machine is too slow to cache it in time, another key
 * with a longer lifetime is tried.
 */
async function expiredWhileCached(local: LocalKeyward): Promise<string> {
  for (let livesMs = 500; ; livesMs *= 3) {
    const expiresAt = Date.now() + livesMs;
    const { key } = await createKey({ expiry: new Date(expiresAt).toISOString() });
    let isCached = false;
    while (!isCached && Date.now() < expiresAt) {
      const result = local.validate(key);
      isCached = !(result instanceof Promise);
      await result;
    }
    while (Date.now() <= expiresAt) await sleep(expiresAt - Date.now() + 5);
    if (isCached) return key;
  }
}

/** Number of uses of the key by outcome. */
async function outcomesOf(id: string): Promise<Record<string, number>> {
  await app.app.tally.flush();
  const { body } = await app.client.get(`/analytics/usage?groupBy=outcome&interval=day&key=${id}`);
  const counted: Record<string, number> = {};
  for (const { group, total } of body) counted[group] = (counted[group] ?? 0) + total;
  return counted;
}

describe('a cached key', () => {
  it('is validated synchronously, with its record and without the server', async () => {
    const local = await open();
    const { key, id } = await createKey({ customUserId: 'u-1' });
    const first = await local.validate(key);
    expect(first).toMatchObject({
      valid: true,
      allowed: true,
      record: { id, customUserId: 'u-1' },
    });
    await fromCache(local, key);
    const before = [serverValidations(), leaseRequests()];
    // All at once: on a busy machine, the stream may be late between two of them.
    const again = Array.from({ length: 100 }, () => local.validate(key));
    for (const result of again) expect(result).toMatchObject({ valid: true, record: { id } });
    expect([serverValidations(), leaseRequests()]).toEqual(before);
    expect(local.size).toBe(1);
  });

  it('is dropped when it or its project is revoked or changed', async () => {
    const local = await open();
    const [revoked, renamed] = [await createKey(), await createKey()];
    const { body: project } = await app.client.post('/projects', { name: 'Gone' });
    const ofProject = await createKey({ projectId: project.id });
    for (const { key } of [revoked, renamed, ofProject]) await fromCache(local, key);
    await app.client.delete(`/api-keys/${revoked.id}`);
    await app.client.patch(`/api-keys/${renamed.id}`, { name: 'New name' });
    await app.client.delete(`/projects/${project.id}`);
    while (local.size > 0) await sleep(5);
    expect(await local.validate(revoked.key)).toMatchObject({
      allowed: false,
      code: 'key_revoked',
    });
    expect(await local.validate(renamed.key)).toMatchObject({ record: { name: 'New name' } });
    expect(await local.validate(ofProject.key)).toMatchObject({ code: 'key_project_inactive' });
  });

  it('expires and is limited to its domains by the same rules as on the server', async () => {
    const local = await open();
    const bound = await createKey({ allowedDomains: ['*.example.com'] });
    await fromCache(local, bound.key, { originDomain: 'a.example.com' });
    expect(local.validate(bound.key, { originDomain: 'B.Example.com:443' })).toMatchObject({
      valid: true,
    });
    expect(local.validate(bound.key, { originDomain: 'example.com' })).toMatchObject({
      code: 'domain_denied',
      statusCode: 403,
    });
    expect(local.validate(bound.key)).toMatchObject({ code: 'domain_denied' });
    expect(await local.validate(await expiredWhileCached(local))).toMatchObject({
      code: 'key_expired',
    });
  });

  it('counts towards maxKeys', async () => {
    const local = await open({ maxKeys: 10 });
    for (let n = 0; n < 14; n++) await fromCache(local, (await createKey()).key);
    expect(local.size).toBeLessThanOrEqual(10);
    expect(local.size).toBeGreaterThan(0);
  });
});

describe('a validation that is not decided from the cache', () => {
  it('is made by the server each time for an unknown value, and refuses a malformed one', async () => {
    const local = await open();
    const before = serverValidations();
    for (let n = 0; n < 3; n++)
      expect(await local.validate('never-issued-value')).toMatchObject({ code: 'key_not_found' });
    expect(serverValidations()).toBe(before + 3);
    expect(await local.validate('half \ud800')).toMatchObject({ code: 'key_malformed' });
  });

  it('shares one request with concurrent validations of the same key', async () => {
    const local = await open();
    const requestsFor50 = async () => {
      const [{ key }, other] = [await createKey(), await createKey()];
      // Once this key is cached, the change events of both creations have been received.
      await fromCache(local, other.key);
      const before = leaseRequests();
      const results = await Promise.all(Array.from({ length: 50 }, () => local.validate(key)));
      for (const result of results) expect(result).toMatchObject({ valid: true });
      return leaseRequests() - before;
    };
    // There are more requests if a late heartbeat made the cache unusable meanwhile.
    await expect.poll(requestsFor50).toBe(1);
  });

  it('takes no longer than the timeout, although the server is asked twice', async () => {
    const hangs: typeof fetch = (input, init) =>
      String(input).endsWith('/api-keys/auth')
        ? new Promise((_, reject) =>
            init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)),
          )
        : fetch(input, init);
    const local = await open({ fetch: hangs });
    const asked = vi.spyOn(local.client, 'validate');
    const { key } = await createKey();
    await Promise.resolve(local.validate(key, { timeoutMs: 200 })).catch(() => {});
    expect(asked).toHaveBeenCalledOnce();
    // The second request gets what is left of the timeout. A timer may fire some milliseconds early.
    expect(asked.mock.calls[0]![1]!.timeoutMs).toBeLessThan(100);
  });

  it('works over HTTP if there is no stream, and then nothing is cached', async () => {
    const blocked: typeof fetch = (input, init) =>
      String(input).endsWith('/changes')
        ? Promise.reject(new Error('stream blocked'))
        : fetch(input, init);
    const local = new LocalKeyward({
      ...app.sdkOptions,
      fetch: blocked,
      log: () => {},
    });
    opened.push(local);
    const { key, id } = await createKey();
    for (let n = 0; n < 3; n++) expect(await local.validate(key)).toMatchObject({ record: { id } });
    expect(local.size).toBe(0);
    expect(await outcomesOf(id)).toMatchObject({ valid: 3 });
  });
});

describe('usage', () => {
  it('is counted once, whether decided locally or by the server', async () => {
    const local = await open({ reportEveryMs: 50 });
    const { key, id } = await createKey({ allowedDomains: ['a.example'] });
    for (let n = 0; n < 100; n++) await local.validate(key, { originDomain: 'a.example' });
    for (let n = 0; n < 7; n++) await local.validate(key, { originDomain: 'b.example' });
    await local.close();
    await app.app.tally.flush();
    const { body } = await app.client.get(
      `/analytics/usage?groupBy=outcome&interval=day&key=${id}`,
    );
    const counted = Object.fromEntries(
      body.map((row: { group: string; total: number }) => [row.group, row.total]),
    );
    expect(counted).toMatchObject({ valid: 100, domain_denied: 7 });
    expect((await app.client.get(`/api-keys/${id}`)).body.firstUsedAt).not.toBeNull();
  });

  it('is kept while the server is unreachable, and counted once when it returns', async () => {
    let isUnreachable = false;
    let dropsResponse = false;
    const flaky: typeof fetch = async (input, init) => {
      if (!String(input).endsWith('/usage')) return fetch(input, init);
      if (isUnreachable) throw new Error('unreachable');
      const response = await fetch(input, init);
      if (dropsResponse) throw new Error('the response is lost');
      return response;
    };
    const local = await open({ reportEveryMs: 20, fetch: flaky });
    const { key, id } = await createKey();
    isUnreachable = true;
    for (let n = 0; n < 10; n++) await local.validate(key);
    await sleep(100);
    [isUnreachable, dropsResponse] = [false, true];
    for (let n = 0; n < 10; n++) await local.validate(key);
    await sleep(100);
    dropsResponse = false;
    await local.close();
    expect(await outcomesOf(id)).toMatchObject({ valid: 20 });
  });

  it('is counted although the server rejects the samples of refusals', async () => {
    const statuses: number[] = [];
    const older: typeof fetch = async (input, init) => {
      if (!String(input).endsWith('/usage')) return fetch(input, init);
      // A server that does not know `refusals`.
      const body = String(init?.body).replace('"refusals"', '"unknown"');
      const response = await fetch(input, { ...init, body });
      statuses.push(response.status);
      return response;
    };
    const local = await open({ reportEveryMs: 60_000, fetch: older });
    const { key, id } = await createKey({ permissions: ['a'] });
    await local.validate(key, { permissions: 'a' });
    for (let n = 0; n < 3; n++) await local.validate(key, { permissions: 'b' });
    await local.close();
    expect(statuses).toContain(400);
    expect(await outcomesOf(id)).toMatchObject({ valid: 1, permission_denied: 3 });
  });

  it('is counted although the samples of refusals are too large for a report', async () => {
    const local = await open({ reportEveryMs: 60_000 });
    const permissions = Array.from({ length: 32 }, (_, n) => `${n}`.padEnd(128, 'x'));
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) {
      const { key, id } = await createKey({ permissions: ['a'] });
      ids.push(id);
      for (let m = 0; m < 10; m++) await local.validate(key, { permissions });
    }
    await local.close();
    for (const id of ids) expect(await outcomesOf(id)).toMatchObject({ permission_denied: 10 });
    const { body: samples } = await app.client.get(`/refusals?key=${ids[0]}`);
    expect(samples).toHaveLength(10);
  });
});

describe('limits', () => {
  it('are shared by several clients, which together admit exactly the limit', async () => {
    const clients = await Promise.all([open(), open(), open()]);
    const { key, id } = await createKey({
      rateLimitConfigs: { rateLimit: 200, rateLimitTtl: 300 },
    });
    let admitted = 0;
    for (let n = 0; n < 100; n++)
      for (const local of clients) if ((await local.validate(key)).allowed) admitted++;
    expect(admitted).toBeLessThanOrEqual(200);
    // Use up what the clients still have leased.
    for (const local of clients)
      for (let n = 0; n < 60; n++) {
        if ((await local.validate(key)).allowed) admitted++;
        else await sleep(5);
      }
    expect(admitted).toBe(200);
    expect(await clients[0]!.validate(key)).toMatchObject({
      code: 'rate_limited',
      statusCode: 429,
      rateLimit: { limit: 200, remaining: 0 },
    });
    for (const local of clients) await local.close();
    expect(await outcomesOf(id)).toMatchObject({ valid: 200 });
  });

  it('get unused requests back on close and when a key is idle', async () => {
    const { key } = await createKey({ rateLimitConfigs: { rateLimit: 1_000, rateLimitTtl: 300 } });
    const remaining = async () =>
      Number((await app.client.post(`/api-keys/auth/${key}`)).headers.get('ratelimit-remaining'));
    const local = await open({ reportEveryMs: 50 });
    for (let n = 0; n < 100; n++) expect((await local.validate(key)).allowed).toBe(true);
    // 100 uses here; each call of `remaining` takes one more.
    let calls = 1;
    for (; (await remaining()) !== 900 - calls; calls++) await sleep(20);
    for (let n = 0; n < 10; n++) await local.validate(key);
    await local.close();
    expect(await remaining()).toBe(900 - calls - 10 - 1);
  });

  it('that were changed apply once the key is dropped from the cache', async () => {
    const local = await open();
    const { key, id } = await createKey({
      rateLimitConfigs: { rateLimit: 100, rateLimitTtl: 300 },
    });
    for (let n = 0; n < 20; n++) await local.validate(key);
    await app.client.patch(`/api-keys/${id}`, {
      name: 'Key',
      rateLimitConfigs: { rateLimit: 1, rateLimitTtl: 300 },
    });
    while (local.size > 0) await sleep(5);
    expect(await local.validate(key)).toMatchObject({ code: 'rate_limited' });
  });
});

describe('closing', () => {
  it('reports usage even if its 5 s are over before the first try', async () => {
    const local = await open({ reportEveryMs: 3_600_000 });
    const { key, id } = await createKey();
    const validate = vi.spyOn(local, 'validate');
    for (let n = 0; n < 10; n++) await fromCache(local, key);
    const now = performance.now();
    const clock = vi.spyOn(performance, 'now').mockReturnValue(now - 6_000);
    const closed = local.close();
    clock.mockRestore();
    await closed;
    // Each validation is counted once, here or by the server.
    expect((await outcomesOf(id)).valid).toBe(validate.mock.calls.length);
  });

  it('ends the stream; later validations use the server', async () => {
    const local = await open();
    const { key } = await createKey();
    await fromCache(local, key);
    const before = app.app.changeStreams.open;
    await local.close();
    while (app.app.changeStreams.open >= before) await sleep(5);
    expect(local.size).toBe(0);
    expect(await local.validate(key)).toMatchObject({ valid: true });
    expect(local.size).toBe(0);
  });
});

describe('a client whose access key the server rejects', () => {
  it('logs the reason once, and throws it from validate', async () => {
    const logged: string[] = [];
    const attempts: string[] = [];
    const local = new LocalKeyward({
      ...app.sdkOptions,
      accessKey: 'account_access_unknown',
      log: (message) => logged.push(message),
      fetch: (input, init) => {
        attempts.push(String(input));
        return fetch(input, init);
      },
    });
    opened.push(local);
    await expect.poll(() => attempts.length).toBeGreaterThan(1);
    expect(logged).toEqual([
      expect.stringMatching(
        /cannot open the stream of changes.*credential_invalid.*Check `accessKey`/,
      ),
    ]);
    await expect(local.validate('some-key-value')).rejects.toMatchObject({ statusCode: 401 });
  });

  it('drops its cached keys', async () => {
    const gateway = (await app.client.post('/access-keys', { name: 'gateway' })).body;
    const local = await open({ accessKey: gateway.key, log: () => {} });
    const { key } = await createKey();
    await fromCache(local, key);
    await app.client.delete(`/access-keys/${gateway.id}`);
    await expect
      .poll(async () => Promise.resolve(local.validate(key)).catch(({ code }) => code))
      .toBe('credential_revoked');
  });
});
