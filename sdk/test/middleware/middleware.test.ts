import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../server/test/harness/test-app.ts';
import { Keyward } from '../../src/index.ts';
import { LocalKeyward } from '../../src/local/index.ts';
import type { KeyValidator, ProtectOptions } from '../../src/middleware/guard.ts';
import { whileListening } from './listening.ts';
import { PROTECTED_SERVERS } from './protected-servers.ts';

let app: TestApp;
let keyward: Keyward;
/** A client of a port without a server. */
const unreachable = (options = {}) =>
  new Keyward({ url: 'http://127.0.0.1:9', accessKey: 'x', retries: 0, ...options });

beforeAll(async () => {
  app = await startTestApp({ realClock: true });
  keyward = new Keyward({ url: app.url, accessKey: app.accessKey });
});
afterAll(() => app.close());

const LIMIT_HEADERS = [
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'ratelimit-consumed',
  'retry-after-seconds',
];

describe.each(PROTECTED_SERVERS)('%s', (_name, start) => {
  const withServer = async (
    client: KeyValidator,
    options: ProtectOptions | undefined,
    use: Parameters<typeof whileListening>[1],
  ) => whileListening(await start(client, options), use);

  it('admits a valid key and passes its record to the handler', async () => {
    const { key } = await keyward.apiKeys.create({ name: 'Ada' });
    await withServer(keyward, undefined, async (get) => {
      const response = await get({ 'x-api-key': key });
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({ name: 'Ada' });
      for (const name of LIMIT_HEADERS) expect(response.headers.has(name), name).toBe(false);
    });
  });

  it('rejects a missing, an unknown and a revoked key', async () => {
    const revoked = await keyward.apiKeys.create({ name: 'Bob' });
    await keyward.apiKeys.revoke(revoked.id);
    await withServer(keyward, undefined, async (get) => {
      const missing = await get();
      expect(missing.status).toBe(401);
      expect(missing.headers.get('www-authenticate')).toBe('ApiKey header="x-api-key"');
      expect(await missing.json()).toEqual({
        statusCode: 401,
        message: 'Send an API key.',
        error: 'Unauthorized',
        code: 'key_missing',
      });
      const unknown = await get({ 'x-api-key': 'unknown-key' });
      expect(unknown.status).toBe(401);
      expect(await unknown.json()).toMatchObject({ code: 'key_not_found' });
      const refused = await get({ 'x-api-key': revoked.key });
      expect(refused.status).toBe(401);
      expect(await refused.json()).toMatchObject({ statusCode: 401, code: 'key_revoked' });
    });
  });

  it('sends the rate-limit headers, and Retry-After when limited', async () => {
    const rateLimitConfigs = { rateLimit: 1, rateLimitTtl: 60 };
    const { key } = await keyward.apiKeys.create({ name: 'Cy', rateLimitConfigs });
    await withServer(keyward, undefined, async (get) => {
      const first = await get({ 'x-api-key': key });
      expect(first.status).toBe(200);
      for (const name of LIMIT_HEADERS) expect(first.headers.has(name), name).toBe(true);
      expect(first.headers.get('ratelimit-remaining')).toBe('0');
      expect(first.headers.has('retry-after')).toBe(false);
      const second = await get({ 'x-api-key': key });
      expect(second.status).toBe(429);
      expect(await second.json()).toMatchObject({ statusCode: 429, code: 'rate_limited' });
      for (const name of LIMIT_HEADERS) expect(second.headers.has(name), name).toBe(true);
      expect(Number(second.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    });
  });

  it('sends the origin to Keyward only with passOrigin', async () => {
    const allowedDomains = ['app.example'];
    const { key } = await keyward.apiKeys.create({ name: 'Di', allowedDomains });
    const home = { 'x-api-key': key, origin: 'https://app.example:8443' };
    await withServer(keyward, undefined, async (get) => expect((await get(home)).status).toBe(403));
    await withServer(keyward, { passOrigin: true }, async (get) => {
      expect((await get(home)).status).toBe(200);
      const foreign = await get({ ...home, origin: 'https://evil.example' });
      expect(foreign.status).toBe(403);
      expect(await foreign.json()).toMatchObject({ code: 'domain_denied' });
    });
  });

  it('reads the key only from the configured places', async () => {
    const { key } = await keyward.apiKeys.create({ name: 'Ed' });
    const places = ['bearer', { header: 'X-My-Key' }] as const;
    await withServer(keyward, { keyFrom: places }, async (get) => {
      expect((await get({ authorization: `Bearer ${key}` })).status).toBe(200);
      expect((await get({ 'x-my-key': key })).status).toBe(200);
      expect((await get({ 'x-api-key': key })).status).toBe(401);
      expect((await get({ authorization: `Basic ${key}` })).status).toBe(401);
      const missing = await get({}, `?key=${key}&x-api-key=${key}`);
      expect(missing.status).toBe(401);
      expect(missing.headers.get('www-authenticate')).toBe('Bearer');
    });
    await withServer(keyward, { keyFrom: { query: 'key' } }, async (get) => {
      expect((await get({}, `?a=1&key=${key}`)).status).toBe(200);
    });
  });

  it('admits requests while Keyward is unavailable only with onUnavailable: allow', async () => {
    const headers = { 'x-api-key': 'some-key-value' };
    const logged: string[] = [];
    const log = (message: string) => logged.push(message);
    await withServer(unreachable({ onUnavailable: 'allow' }), { log }, async (get) => {
      const allowed = await get(headers);
      expect(allowed.status).toBe(200);
      expect(await allowed.json()).toEqual({ name: null });
      expect((await get()).status).toBe(401);
    });
    expect(logged).toEqual([expect.stringContaining('requests pass unchecked')]);
    await withServer(
      unreachable({ onUnavailable: 'allow' }),
      { onUnavailable: 'deny', log },
      async (get) => expect((await get(headers)).status).toBe(503),
    );
  });

  it('works with a synchronous validator', async () => {
    const { key, id } = await keyward.apiKeys.create({ name: 'Flo' });
    const local = new LocalKeyward({ url: app.url, accessKey: app.accessKey });
    await local.ready;
    await withServer(local, undefined, async (get) => {
      expect((await get({ 'x-api-key': key })).status).toBe(200);
      expect(local.validate(key)).not.toBeInstanceOf(Promise);
      const known = await get({ 'x-api-key': key });
      expect(await known.json()).toEqual({ name: 'Flo' });
      await keyward.apiKeys.revoke(id);
      await expect.poll(async () => (await get({ 'x-api-key': key })).status).toBe(401);
    });
    await local.close();
  });

  it('passes errors of the caller’s `answer` to the server’s error handling', async () => {
    const options: ProtectOptions = {
      answer: () => {
        throw new Error('a bug in the caller’s code');
      },
    };
    await withServer(keyward, options, async (get) => {
      const failed = await get();
      expect(failed.status).toBe(500);
      expect((await get()).status).toBe(500);
    });
  });

  it('uses the caller’s response to a refusal, and the default otherwise', async () => {
    const options: ProtectOptions = {
      answer: ({ reason }, { headers }) =>
        reason === 'missing'
          ? { status: 418, headers: { ...headers, 'x-hint': 'see the docs' }, body: { oh: 'no' } }
          : undefined,
    };
    await withServer(keyward, options, async (get) => {
      const missing = await get();
      expect(missing.status).toBe(418);
      expect(missing.headers.get('x-hint')).toBe('see the docs');
      expect(await missing.json()).toEqual({ oh: 'no' });
      expect((await get({ 'x-api-key': 'unknown-key' })).status).toBe(401);
    });
  });
});
