import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../server/test/harness/test-app.ts';
import { Keyward } from '../../src/index.ts';
import { LocalKeyward } from '../../src/local/index.ts';
import type { KeyValidator } from '../../src/middleware/guard.ts';
import { fromCache } from '../local/from-cache.ts';
import { whileListening } from './listening.ts';
import { type AnyRequest, PROTECTED_SERVERS, type ProtectOptions } from './protected-servers.ts';

let app: TestApp;
let keyward: Keyward;
/** A client of a port without a server. */
const unreachable = (options = {}) =>
  new Keyward({ ...app.sdkOptions, url: 'http://127.0.0.1:9', retries: 0, ...options });

beforeAll(async () => {
  app = await startTestApp({ realClock: true });
  keyward = new Keyward(app.sdkOptions);
});
afterAll(() => app.close());

const LIMIT_HEADERS = [
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'ratelimit-consumed',
  'retry-after-seconds',
];

/** A header of any server's request; Hono passes its context. */
function headerIn(request: AnyRequest, name: string): string | null {
  const { headers } = 'req' in request ? request.req.raw : request;
  return headers instanceof Headers ? headers.get(name) : ((headers[name] as string) ?? null);
}

describe.each(PROTECTED_SERVERS)('%s', (name, start) => {
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

  it('refuses a missing, an unknown and a revoked key', async () => {
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

  it('takes the cost from limits and credits, whether it is fixed or a function of the request', async () => {
    const rateLimitConfigs = { rateLimit: 10, rateLimitTtl: 300 };
    const credits = { remaining: 8 };
    const { key } = await keyward.apiKeys.create({ name: 'Cost', rateLimitConfigs, credits });
    const left = (response: Response) =>
      ['ratelimit-remaining', 'credits-remaining'].map((each) => response.headers.get(each));
    await withServer(keyward, { cost: 3 }, async (get) =>
      expect(left(await get({ 'x-api-key': key }))).toEqual(['7', '5']),
    );
    const cost = (request: AnyRequest) => Number(headerIn(request, 'x-cost'));
    const later = async (request: AnyRequest) => cost(request);
    for (const [option, price, expected] of [
      [cost, '0', ['7', '5']],
      [cost, '2', ['5', '3']],
      [later, '1', ['4', '2']],
    ] as const)
      await withServer(keyward, { cost: option }, async (get) =>
        expect(left(await get({ 'x-api-key': key, 'x-cost': price }))).toEqual(expected),
      );
    await withServer(keyward, { cost: 3 }, async (get) => {
      const refused = await get({ 'x-api-key': key });
      expect(refused.status).toBe(429);
      expect(await refused.json()).toEqual({
        statusCode: 429,
        message: 'Too few credits are left for this API key.',
        error: 'Too Many Requests',
        code: 'credits_exhausted',
      });
      expect(left(refused)).toEqual(['4', '2']);
      // There is no refill.
      expect(refused.headers.has('retry-after')).toBe(false);
    });
    await withServer(keyward, { cost: { requests: 2, credits: 1 } }, async (get) =>
      expect(left(await get({ 'x-api-key': key }))).toEqual(['2', '1']),
    );
    await expect(start(keyward, { cost: { tokens: -1 } })).rejects.toThrow('for "tokens"');
    await expect(start(keyward, { cost: 1.5 })).rejects.toThrow('integer from 0 to 1000000');
  });

  it('says when credits are refilled', async () => {
    const credits = { remaining: 0, refill: { amount: 1, interval: 'day' as const } };
    const { key } = await keyward.apiKeys.create({ name: 'Empty', credits });
    await withServer(keyward, undefined, async (get) => {
      const refused = await get({ 'x-api-key': key });
      expect([refused.status, refused.headers.get('credits-remaining')]).toEqual([429, '0']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
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

  it('refuses a key without the required permissions, and does not name them', async () => {
    const { key } = await keyward.apiKeys.create({ name: 'Flo', permissions: ['documents.read'] });
    const headers = { 'x-api-key': key };
    await withServer(keyward, { permissions: 'documents.read' }, async (get) =>
      expect((await get(headers)).status).toBe(200),
    );
    const permissions = { all: ['documents.read', 'documents.secret'] };
    await withServer(keyward, { permissions }, async (get) => {
      const refused = await get(headers);
      expect(refused.status).toBe(403);
      expect(refused.headers.has('www-authenticate')).toBe(false);
      expect(await refused.json()).toEqual({
        statusCode: 403,
        message: 'The API key does not permit this request.',
        error: 'Forbidden',
        code: 'permission_denied',
      });
      expect((await get({ 'x-api-key': 'unknown-key' })).status).toBe(401);
    });
  });

  it('passes the missing permissions to the option `response`', async () => {
    const { key } = await keyward.apiKeys.create({ name: 'Gil' });
    const response: ProtectOptions['response'] = (refusal) =>
      refusal.reason === 'permission' ? { body: refusal.validation.missing } : undefined;
    await withServer(keyward, { permissions: ['b', 'a'], response }, async (get) => {
      const refused = await get({ 'x-api-key': key });
      expect(refused.status).toBe(403);
      expect(await refused.json()).toEqual(['b', 'a']);
    });
  });

  it.each([false, true])('takes permissions from a function, asynchronous: %s', async (isAsync) => {
    const { key } = await keyward.apiKeys.create({ name: 'Hal', permissions: ['documents.read'] });
    const byHeader = (name: string | null) => (name === 'none' ? undefined : `documents.${name}`);
    const permissions: ProtectOptions['permissions'] = (request) => {
      const required = byHeader(headerIn(request, 'x-action'));
      return isAsync ? Promise.resolve(required) : required;
    };
    await withServer(keyward, { permissions, log: () => {} }, async (get) => {
      const status = async (action: string) =>
        (await get({ 'x-api-key': key, 'x-action': action })).status;
      expect(await status('read')).toBe(200);
      expect(await status('write')).toBe(403);
      expect(await status('none')).toBe(200);
      expect(await status('*')).toBe(503);
    });
  });

  it('passes errors of the functions in the options to the server’s error handling', async () => {
    const fail = () => {
      throw new Error('a bug in the application’s code');
    };
    const headers = { 'x-api-key': 'some-key-value' };
    for (const options of [
      { permissions: fail },
      { permissions: async () => fail() },
      { clientIP: fail },
    ])
      await withServer(keyward, options, async (get) =>
        expect((await get(headers)).status).toBe(500),
      );
  });

  it('does not start with invalid permissions', async () => {
    await expect(start(keyward, { permissions: 'documents.*' })).rejects.toThrow(
      '"documents.*" is not a name of a permission',
    );
  });

  it('checks the address of the connection if the server knows it, and an address in a header only with the option clientIP', async () => {
    const create = async (allowedIPs: string[]) =>
      (await keyward.apiKeys.create({ name: 'Ivo', allowedIPs })).key;
    const [here, elsewhere] = [await create(['127.0.0.0/8']), await create(['203.0.113.7'])];
    const forwarded = { 'x-forwarded-for': '203.0.113.7', forwarded: 'for=203.0.113.7' };
    const knowsAddress = !['hono', 'next'].includes(name);
    await withServer(keyward, undefined, async (get) => {
      expect((await get({ 'x-api-key': here })).status).toBe(knowsAddress ? 200 : 403);
      const refused = await get({ 'x-api-key': elsewhere, ...forwarded });
      expect(refused.status).toBe(403);
      expect(await refused.json()).toEqual({
        statusCode: 403,
        message: 'The API key may not be used from this address.',
        error: 'Forbidden',
        code: 'ip_denied',
      });
    });
    const clientIP: ProtectOptions['clientIP'] = (request) => headerIn(request, 'x-real-ip');
    await withServer(keyward, { clientIP }, async (get) => {
      const status = async (key: string, address?: string) =>
        (await get({ 'x-api-key': key, ...(address && { 'x-real-ip': address }) })).status;
      expect(await status(elsewhere, '203.0.113.7')).toBe(200);
      expect(await status(elsewhere, '203.0.113.7, 10.0.0.1')).toBe(403);
      expect(await status(elsewhere)).toBe(403);
      expect(await status(here, '203.0.113.7')).toBe(403);
    });
  });

  it('checks permissions and addresses with a synchronous validator', async () => {
    const local = new LocalKeyward(app.sdkOptions);
    await local.ready;
    const { key } = await keyward.apiKeys.create({
      name: 'Jan',
      permissions: ['documents.read'],
      allowedIPs: ['203.0.113.0/24'],
    });
    const options: ProtectOptions = {
      permissions: (request) => headerIn(request, 'x-required') ?? undefined,
      clientIP: (request) => headerIn(request, 'x-real-ip'),
    };
    const ask = { 'x-api-key': key, 'x-real-ip': '203.0.113.7' };
    await withServer(local, options, async (get) => {
      const code = async (headers: object) => (await get({ ...ask, ...headers })).json();
      for (let n = 0; n < 3; n++) {
        expect(await code({ 'x-required': 'documents.read' })).toEqual({ name: 'Jan' });
        expect(await code({ 'x-required': 'documents.write' })).toEqual({
          statusCode: 403,
          message: 'The API key does not permit this request.',
          error: 'Forbidden',
          code: 'permission_denied',
        });
        expect(await code({ 'x-real-ip': '203.0.114.7' })).toMatchObject({ code: 'ip_denied' });
      }
    });
    await local.close();
  });

  it('reads the key only from the configured sources', async () => {
    const { key } = await keyward.apiKeys.create({ name: 'Ed' });
    const sources = ['bearer', { header: 'X-My-Key' }] as const;
    await withServer(keyward, { keyFrom: sources }, async (get) => {
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
    const local = new LocalKeyward(app.sdkOptions);
    await local.ready;
    await withServer(local, undefined, async (get) => {
      expect((await get({ 'x-api-key': key })).status).toBe(200);
      await fromCache(local, key);
      const known = await get({ 'x-api-key': key });
      expect(await known.json()).toEqual({ name: 'Flo' });
      await keyward.apiKeys.revoke(id);
      await expect.poll(async () => (await get({ 'x-api-key': key })).status).toBe(401);
    });
    await local.close();
  });

  it('passes errors of the option `response` to the server’s error handling', async () => {
    const options: ProtectOptions = {
      response: () => {
        throw new Error('a bug in the application’s code');
      },
    };
    await withServer(keyward, options, async (get) => {
      const failed = await get();
      expect(failed.status).toBe(500);
      expect((await get()).status).toBe(500);
    });
  });

  it('sends what the option `response` returns, and the default response if it returns nothing', async () => {
    const options: ProtectOptions = {
      response: ({ reason }, { headers }) =>
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
