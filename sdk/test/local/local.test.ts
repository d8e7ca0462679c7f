import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../server/test/harness/test-app.ts';
import { LocalKeyward, type LocalOptions } from '../../src/local/index.ts';

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
  const local = new LocalKeyward({ url: app.url, accessKey: app.accessKey, ...options });
  opened.push(local);
  await local.ready;
  return local;
}
const createKey = async (body: object = {}) =>
  (await app.client.post('/api-keys', { name: 'Key', projectId: app.projectId, ...body })).body;
/** Validations that the server answered so far. */
const askedSoFar = () => Object.values(app.app.validator.outcomes).reduce((a, b) => a + b, 0);
const lendsSoFar = () => app.log.filter((line) => line.includes('"url":"/api-keys/auth"')).length;

/** Until this process answers for it: whoever hears of its making meanwhile asks once more. */
async function learn(local: LocalKeyward, key: string, options = {}) {
  for (;;) {
    const result = local.validate(key, options);
    if (!(result instanceof Promise)) return result;
    await result;
    await sleep(5);
  }
}

/** A key that expired after this process had learnt it; one that lives longer where that takes long. */
async function expiredAfterLearnt(local: LocalKeyward): Promise<string> {
  for (let livesMs = 500; ; livesMs *= 3) {
    const expiresAt = Date.now() + livesMs;
    const { key } = await createKey({ expiry: new Date(expiresAt).toISOString() });
    let isLearnt = false;
    while (!isLearnt && Date.now() < expiresAt) {
      const result = local.validate(key);
      isLearnt = !(result instanceof Promise);
      await result;
    }
    while (Date.now() <= expiresAt) await sleep(expiresAt - Date.now() + 5);
    if (isLearnt) return key;
  }
}

/** How many uses of the key ended how. */
async function outcomesOf(id: string): Promise<Record<string, number>> {
  await app.app.tally.flush();
  const { body } = await app.client.get(`/analytics/usage?groupBy=outcome&interval=day&key=${id}`);
  const counted: Record<string, number> = {};
  for (const { group, total } of body) counted[group] = (counted[group] ?? 0) + total;
  return counted;
}

describe('a key that is remembered', () => {
  it('is answered for at once, with its record, and without the server', async () => {
    const local = await open();
    const { key, id } = await createKey({ customUserId: 'u-1' });
    const first = await local.validate(key);
    expect(first).toMatchObject({
      valid: true,
      allowed: true,
      record: { id, customUserId: 'u-1' },
    });
    await learn(local, key);
    const before = [askedSoFar(), lendsSoFar()];
    for (let n = 0; n < 100; n++) {
      const again = local.validate(key);
      expect(again).not.toBeInstanceOf(Promise);
      expect(again).toMatchObject({ valid: true, record: { id } });
    }
    expect([askedSoFar(), lendsSoFar()]).toEqual(before);
    expect(local.size).toBe(1);
  });

  it('is forgotten when it is revoked, changed, or its project is', async () => {
    const local = await open();
    const [revoked, renamed] = [await createKey(), await createKey()];
    const { body: project } = await app.client.post('/projects', { name: 'Gone' });
    const ofProject = await createKey({ projectId: project.id });
    for (const { key } of [revoked, renamed, ofProject]) await learn(local, key);
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

  it('expires, and is bound to its domains, by the same rules', async () => {
    const local = await open();
    const bound = await createKey({ allowedDomains: ['*.example.com'] });
    await learn(local, bound.key, { originDomain: 'a.example.com' });
    expect(local.validate(bound.key, { originDomain: 'B.Example.com:443' })).toMatchObject({
      valid: true,
    });
    expect(local.validate(bound.key, { originDomain: 'example.com' })).toMatchObject({
      code: 'domain_denied',
      statusCode: 403,
    });
    expect(local.validate(bound.key)).toMatchObject({ code: 'domain_denied' });
    expect(await local.validate(await expiredAfterLearnt(local))).toMatchObject({
      code: 'key_expired',
    });
  });

  it('is one of at most so many', async () => {
    const local = await open({ maxKeys: 10 });
    for (let n = 0; n < 14; n++) await learn(local, (await createKey()).key);
    expect(local.size).toBeLessThanOrEqual(10);
    expect(local.size).toBeGreaterThan(0);
  });
});

describe('what is not remembered', () => {
  it('unknown and malformed values: asked about each time', async () => {
    const local = await open();
    const before = askedSoFar();
    for (let n = 0; n < 3; n++)
      expect(await local.validate('never-issued-value')).toMatchObject({ code: 'key_not_found' });
    expect(askedSoFar()).toBe(before + 3);
    expect(await local.validate('half \ud800')).toMatchObject({ code: 'key_malformed' });
  });

  it('keys that many ask about at once are asked about once', async () => {
    const local = await open();
    const [{ key }, other] = [await createKey(), await createKey()];
    // By then the making of both has been heard of.
    await learn(local, other.key);
    const before = lendsSoFar();
    const results = await Promise.all(Array.from({ length: 50 }, () => local.validate(key)));
    for (const result of results) expect(result).toMatchObject({ valid: true });
    expect(lendsSoFar() - before).toBe(1);
  });

  it('nothing is remembered without a stream, and everything works', async () => {
    const blocked: typeof fetch = (input, init) =>
      String(input).endsWith('/changes')
        ? Promise.reject(new Error('no stream here'))
        : fetch(input, init);
    const local = new LocalKeyward({
      url: app.url,
      accessKey: app.accessKey,
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
  it('is counted once, whoever answered', async () => {
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

  it('is kept while the server cannot be told, and counted once when it can', async () => {
    let isAway = false;
    let isDeaf = false;
    const flaky: typeof fetch = async (input, init) => {
      if (!String(input).endsWith('/usage')) return fetch(input, init);
      if (isAway) throw new Error('away');
      const answer = await fetch(input, init);
      if (isDeaf) throw new Error('the answer is lost');
      return answer;
    };
    const local = await open({ reportEveryMs: 20, fetch: flaky });
    const { key, id } = await createKey();
    isAway = true;
    for (let n = 0; n < 10; n++) await local.validate(key);
    await sleep(100);
    [isAway, isDeaf] = [false, true];
    for (let n = 0; n < 10; n++) await local.validate(key);
    await sleep(100);
    isDeaf = false;
    await local.close();
    expect(await outcomesOf(id)).toMatchObject({ valid: 20 });
  });
});

describe('limits', () => {
  it('hold over several clients, and what is not used goes back', async () => {
    const clients = await Promise.all([open(), open(), open()]);
    const { key, id } = await createKey({
      rateLimitConfigs: { rateLimit: 200, rateLimitTtl: 300 },
    });
    let admitted = 0;
    for (let n = 0; n < 100; n++)
      for (const local of clients) if ((await local.validate(key)).allowed) admitted++;
    expect(admitted).toBeLessThanOrEqual(200);
    // Whoever has some left is asked until nobody has.
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

  it('are given back on close, and when a key lies idle', async () => {
    const { key } = await createKey({ rateLimitConfigs: { rateLimit: 1_000, rateLimitTtl: 300 } });
    const remaining = async () =>
      Number((await app.client.post(`/api-keys/auth/${key}`)).headers.get('ratelimit-remaining'));
    const local = await open({ reportEveryMs: 50 });
    for (let n = 0; n < 100; n++) expect((await local.validate(key)).allowed).toBe(true);
    // 100 used here; each look takes one more.
    for (let looks = 1; (await remaining()) !== 900 - looks; looks++) await sleep(20);
    for (let n = 0; n < 10; n++) await local.validate(key);
    await local.close();
    const [after, later] = [await remaining(), await remaining()];
    expect(after - later).toBe(1);
  });

  it('of a changed key act at once', async () => {
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
  it('ends the stream, and validations ask from then on', async () => {
    const local = await open();
    const { key } = await createKey();
    await learn(local, key);
    const before = app.app.changeStreams.open;
    await local.close();
    while (app.app.changeStreams.open >= before) await sleep(5);
    expect(local.size).toBe(0);
    expect(await local.validate(key)).toMatchObject({ valid: true });
    expect(local.size).toBe(0);
  });
});

describe('when the server refuses the access key', () => {
  it('logs the reason once, and throws it from validate', async () => {
    const logged: string[] = [];
    const attempts: string[] = [];
    const local = new LocalKeyward({
      url: app.url,
      accessKey: 'account_access_nobody',
      log: (message) => logged.push(message),
      fetch: (input, init) => {
        attempts.push(String(input));
        return fetch(input, init);
      },
    });
    opened.push(local);
    await expect.poll(() => attempts.length).toBeGreaterThan(1);
    expect(logged).toEqual([
      expect.stringMatching(/no stream of changes.*credential_invalid.*Check `accessKey`/),
    ]);
    await expect(local.validate('some-key-value')).rejects.toMatchObject({ statusCode: 401 });
  });

  it('forgets the keys that it knew', async () => {
    const gateway = (await app.client.post('/access-keys', { name: 'gateway' })).body;
    const local = await open({ accessKey: gateway.key, log: () => {} });
    const { key } = await createKey();
    await learn(local, key);
    await app.client.delete(`/access-keys/${gateway.id}`);
    await expect
      .poll(async () => Promise.resolve(local.validate(key)).catch(({ code }) => code))
      .toBe('credential_revoked');
  });
});
