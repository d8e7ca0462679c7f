import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../server/test/harness/test-app.ts';
import { Keyward } from '../../src/index.ts';
import { LocalKeyward } from '../../src/local/index.ts';
import type { KeyValidator, ProtectOptions } from '../../src/middleware/guard.ts';
import { whileListening } from './listening.ts';
import { PROTECTED_SERVERS } from './protected-servers.ts';

let app: TestApp;
let keyward: Keyward;
/** Nobody listens there. */
const away = (options = {}) =>
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

  it('lets a valid key pass, with what is known of it', async () => {
    const { key } = await keyward.apiKeys.create({ name: 'Ada' });
    await withServer(keyward, undefined, async (ask) => {
      const response = await ask({ 'x-api-key': key });
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({ name: 'Ada' });
      for (const name of LIMIT_HEADERS) expect(response.headers.has(name), name).toBe(false);
    });
  });

  it('turns away what brings no key, and an unknown, a revoked and a foreign one', async () => {
    const revoked = await keyward.apiKeys.create({ name: 'Bob' });
    await keyward.apiKeys.revoke(revoked.id);
    await withServer(keyward, undefined, async (ask) => {
      const missing = await ask();
      expect(missing.status).toBe(401);
      expect(missing.headers.get('www-authenticate')).toBe('ApiKey header="x-api-key"');
      expect(await missing.json()).toEqual({
        statusCode: 401,
        message: 'Send an API key.',
        error: 'Unauthorized',
        code: 'key_missing',
      });
      const unknown = await ask({ 'x-api-key': 'nobodys-key' });
      expect(unknown.status).toBe(401);
      expect(await unknown.json()).toMatchObject({ code: 'key_not_found' });
      const refused = await ask({ 'x-api-key': revoked.key });
      expect(refused.status).toBe(401);
      expect(await refused.json()).toMatchObject({ statusCode: 401, code: 'key_revoked' });
    });
  });

  it('passes the headers of the limit on, and says when to come back', async () => {
    const rateLimitConfigs = { rateLimit: 1, rateLimitTtl: 60 };
    const { key } = await keyward.apiKeys.create({ name: 'Cy', rateLimitConfigs });
    await withServer(keyward, undefined, async (ask) => {
      const first = await ask({ 'x-api-key': key });
      expect(first.status).toBe(200);
      for (const name of LIMIT_HEADERS) expect(first.headers.has(name), name).toBe(true);
      expect(first.headers.get('ratelimit-remaining')).toBe('0');
      expect(first.headers.has('retry-after')).toBe(false);
      const second = await ask({ 'x-api-key': key });
      expect(second.status).toBe(429);
      expect(await second.json()).toMatchObject({ statusCode: 429, code: 'rate_limited' });
      for (const name of LIMIT_HEADERS) expect(second.headers.has(name), name).toBe(true);
      expect(Number(second.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    });
  });

  it('passes on where a request comes from only when it is asked to', async () => {
    const allowedDomains = ['app.example'];
    const { key } = await keyward.apiKeys.create({ name: 'Di', allowedDomains });
    const home = { 'x-api-key': key, origin: 'https://app.example:8443' };
    await withServer(keyward, undefined, async (ask) => expect((await ask(home)).status).toBe(403));
    await withServer(keyward, { passOrigin: true }, async (ask) => {
      expect((await ask(home)).status).toBe(200);
      const foreign = await ask({ ...home, origin: 'https://evil.example' });
      expect(foreign.status).toBe(403);
      expect(await foreign.json()).toMatchObject({ code: 'domain_denied' });
    });
  });

  it('reads the key from where it is told, and from nowhere else', async () => {
    const { key } = await keyward.apiKeys.create({ name: 'Ed' });
    const places = ['bearer', { header: 'X-My-Key' }] as const;
    await withServer(keyward, { keyFrom: places }, async (ask) => {
      expect((await ask({ authorization: `Bearer ${key}` })).status).toBe(200);
      expect((await ask({ 'x-my-key': key })).status).toBe(200);
      expect((await ask({ 'x-api-key': key })).status).toBe(401);
      expect((await ask({ authorization: `Basic ${key}` })).status).toBe(401);
      const missing = await ask({}, `?key=${key}&x-api-key=${key}`);
      expect(missing.status).toBe(401);
      expect(missing.headers.get('www-authenticate')).toBe('Bearer');
    });
    await withServer(keyward, { keyFrom: { query: 'key' } }, async (ask) => {
      expect((await ask({}, `?a=1&key=${key}`)).status).toBe(200);
    });
  });

  it('lets requests pass while Keyward is away only when told to', async () => {
    const headers = { 'x-api-key': 'some-key-value' };
    const logged: string[] = [];
    const log = (message: string) => logged.push(message);
    await withServer(away({ onUnavailable: 'allow' }), { log }, async (ask) => {
      const allowed = await ask(headers);
      expect(allowed.status).toBe(200);
      expect(await allowed.json()).toEqual({ name: null });
      expect((await ask()).status).toBe(401);
    });
    expect(logged).toEqual([expect.stringContaining('requests pass unchecked')]);
    await withServer(
      away({ onUnavailable: 'allow' }),
      { onUnavailable: 'deny', log },
      async (ask) => expect((await ask(headers)).status).toBe(503),
    );
  });

  it('does the same with a validator that answers at once', async () => {
    const { key, id } = await keyward.apiKeys.create({ name: 'Flo' });
    const local = new LocalKeyward({ url: app.url, accessKey: app.accessKey });
    await local.ready;
    await withServer(local, undefined, async (ask) => {
      expect((await ask({ 'x-api-key': key })).status).toBe(200);
      expect(local.validate(key)).not.toBeInstanceOf(Promise);
      const known = await ask({ 'x-api-key': key });
      expect(await known.json()).toEqual({ name: 'Flo' });
      await keyward.apiKeys.revoke(id);
      await expect.poll(async () => (await ask({ 'x-api-key': key })).status).toBe(401);
    });
    await local.close();
  });

  it('hands what the caller’s own code throws to the server’s error handling', async () => {
    const options: ProtectOptions = {
      answer: () => {
        throw new Error('a bug of the caller');
      },
    };
    await withServer(keyward, options, async (ask) => {
      const failed = await ask();
      expect(failed.status).toBe(500);
      expect((await ask()).status).toBe(500);
    });
  });

  it('answers a refusal as it is told, and as usual in the rest', async () => {
    const options: ProtectOptions = {
      answer: ({ reason }, { headers }) =>
        reason === 'missing'
          ? { status: 418, headers: { ...headers, 'x-hint': 'see the docs' }, body: { oh: 'no' } }
          : undefined,
    };
    await withServer(keyward, options, async (ask) => {
      const missing = await ask();
      expect(missing.status).toBe(418);
      expect(missing.headers.get('x-hint')).toBe('see the docs');
      expect(await missing.json()).toEqual({ oh: 'no' });
      expect((await ask({ 'x-api-key': 'nobodys-key' })).status).toBe(401);
    });
  });
});
