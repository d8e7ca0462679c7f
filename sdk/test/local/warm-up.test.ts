import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startTestApp, type TestApp } from '../../../server/test/harness/test-app.ts';
import { LocalKeyward, type LocalOptions, type WarmUpProgress } from '../../src/local/index.ts';

let app: TestApp;
const values: string[] = [];
beforeAll(async () => {
  app = await startTestApp({ realClock: true });
  for (let start = 0; start < 2_400; start += 1_000) {
    const size = Math.min(1_000, 2_400 - start);
    const some = Array.from({ length: size }, (_, n) => `value-of-key-${start + n}-abcdefgh`);
    values.push(...some);
    const keys = some.map((key, n) => ({ name: `Key ${start + n}`, key }));
    const { status, text } = await app.client.post('/api-keys/import', {
      projectId: app.projectId,
      keys,
    });
    expect(status, text).toBe(200);
  }
});
afterAll(() => app.close());

/** `bodies`: those of its validations. */
async function open(options: Partial<LocalOptions> = {}) {
  const bodies: { keys?: string[]; key?: string }[] = [];
  const local = new LocalKeyward({
    ...app.sdkOptions,
    log: () => {},
    fetch: (input, init) => {
      if (String(input).endsWith('/api-keys/auth')) bodies.push(JSON.parse(String(init?.body)));
      return fetch(input, init);
    },
    ...options,
  });
  onTestFinished(() => local.close());
  return { local, bodies };
}

const create = async (fields: object = {}) =>
  (await app.client.post('/api-keys', { name: 'Key', projectId: app.projectId, ...fields })).body;

/** The changes of the keys must have arrived, or they would drop the keys that are cached meanwhile. */
async function untilQuiet(local: LocalKeyward, key: string): Promise<void> {
  await local.ready;
  await expect
    .poll(async () => {
      const result = local.validate(key);
      await result;
      return result instanceof Promise;
    })
    .toBe(false);
}

it('caches keys with one request for each 1,000, and they are then validated without a request', async () => {
  const { local, bodies } = await open();
  const progress: WarmUpProgress[] = [];
  const result = await local.warmUp(values, { onProgress: (each) => progress.push(each) });
  expect(result).toEqual({ cached: 2_400, refused: 0, skipped: 0, isComplete: true });
  expect(progress.map(({ cached }) => cached)).toEqual([1_000, 2_000, 2_400]);
  expect(bodies.map(({ keys }) => keys?.length)).toEqual([1_000, 1_000, 400]);
  expect(local.size).toBe(2_400);
  await expect
    .poll(() => {
      const result = local.validate(values[1_234]!);
      return result instanceof Promise ? null : result;
    })
    .toMatchObject({ valid: true, record: { name: 'Key 1234' } });
  const again = await local.warmUp(values);
  expect(again).toMatchObject({ cached: 2_400, isComplete: true });
});

it('counts values that are not valid, and keys that it leaves to their first use', async () => {
  const { local, bodies } = await open();
  const plain = await create();
  const revoked = await create();
  await app.client.delete(`/api-keys/${revoked.id}`);
  const paid = await create({ credits: { remaining: 10 } });
  await untilQuiet(local, plain.key);
  bodies.length = 0;
  async function* read() {
    yield* [revoked.key, plain.key, paid.key, 'never-issued', 'half \ud800', paid.key];
  }
  const result = await local.warmUp(read());
  expect(result).toEqual({ cached: 1, refused: 3, skipped: 2, isComplete: true });
  expect(bodies).toHaveLength(1);
  expect(await local.validate(paid.key)).toMatchObject({ valid: true });
  expect(await local.validate(revoked.key)).toMatchObject({ code: 'key_revoked' });
});

it('leases nothing; the first use of a key with limits leases a part, and they hold', async () => {
  const rateLimitConfigs = { rateLimit: 3, rateLimitTtl: 300 };
  const limited = await create({ rateLimitConfigs, allowedDomains: ['a.example'] });
  const { local } = await open();
  const other = await create();
  await untilQuiet(local, other.key);
  expect(await local.warmUp([limited.key])).toMatchObject({ cached: 1 });
  const options = { originDomain: 'a.example' };
  const direct = await local.client.validate(limited.key, { ...options, cost: 0 });
  expect(direct.rateLimit?.remaining).toBe(3);
  expect(await local.validate(limited.key)).toMatchObject({ code: 'domain_denied' });
  for (let n = 0; n < 3; n++)
    expect(await local.validate(limited.key, options)).toMatchObject({ valid: true });
  expect(await local.validate(limited.key, options)).toMatchObject({ code: 'rate_limited' });
  const free = await local.client.validate(limited.key, { ...options, cost: 0 });
  expect(free.rateLimit?.remaining).toBe(0);
});

it('knows the clock of the server, if the first use of a key exceeds its limit', async () => {
  const { key } = await create({ rateLimitConfigs: { rateLimit: 1, rateLimitTtl: 300 } });
  const { local } = await open();
  const other = await create();
  await untilQuiet(local, other.key);
  expect(await local.client.validate(key)).toMatchObject({ valid: true });
  expect(await local.warmUp([key])).toMatchObject({ cached: 1 });
  expect(await local.validate(key)).toMatchObject({
    code: 'rate_limited',
    // Of 300. The clock of the server is known only as exactly as the first response was fast.
    retryAfterSeconds: expect.toSatisfy((seconds) => seconds > 0 && seconds < 1_000),
  });
});

it('a change during a warm-up or after it is followed', async () => {
  const { local } = await open();
  const [first, second] = [await create(), await create()];
  await untilQuiet(local, first.key);
  await local.warmUp([second.key]);
  await app.client.delete(`/api-keys/${second.id}`);
  await expect.poll(async () => (await local.validate(second.key)).valid).toBe(false);
});

it('ends when the cache is full', async () => {
  const { local, bodies } = await open({ maxKeys: 1_500 });
  const result = await local.warmUp(values);
  expect(result).toEqual({ cached: 1_500, refused: 0, skipped: 0, isComplete: false });
  expect(bodies.map(({ keys }) => keys?.length)).toEqual([1_000, 500]);
  expect(local.size).toBe(1_500);
});

it('ends with its signal: while it waits for the server, and between two requests', async () => {
  const reason = new Error('shutting down');
  const lost = new LocalKeyward({ ...app.sdkOptions, url: 'http://127.0.0.1:9', log: () => {} });
  const waiting = new AbortController();
  const call = expect(lost.warmUp(values, { signal: waiting.signal })).rejects.toBe(reason);
  waiting.abort(reason);
  await call;
  await lost.close();

  const { local, bodies } = await open();
  const leaving = new AbortController();
  const onProgress = () => leaving.abort(reason);
  const second = local.warmUp(values, { signal: leaving.signal, onProgress });
  await expect(second).rejects.toBe(reason);
  expect(bodies).toHaveLength(1);
  expect(local.size).toBe(1_000);
});

it('rejects if the server rejects it', async () => {
  const { local } = await open({
    fetch: async (input, init) => {
      if (!String(input).endsWith('/api-keys/auth')) return fetch(input, init);
      return Response.json({ code: 'invalid_body', message: 'No.' }, { status: 400 });
    },
  });
  await expect(local.warmUp(values)).rejects.toMatchObject({ code: 'invalid_body' });
  expect(local.size).toBe(0);
});
