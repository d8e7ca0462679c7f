import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CALL_TIMEOUT_MS } from '../../../server/test/harness/long-timeouts.ts';
import { startTestApp, type TestApp } from '../../../server/test/harness/test-app.ts';
import { Keyward, type KeywardOptions } from '../../src/index.ts';
import { LocalKeyward } from '../../src/local/index.ts';
import type { KeyValidator } from '../../src/middleware/guard.ts';
import { refusal, type Step, scriptedServer } from '../scripted-server.ts';
import { whileListening } from './listening.ts';
import { PROTECTED_SERVERS } from './protected-servers.ts';

/**
 * The users of an API send valid keys, but its provider has made a configuration mistake, or Keyward is
 * unavailable. The response must not blame the key, and must not reveal the mistake.
 */

let app: TestApp;
let admin: Keyward;
let goodKey: string;
/** Unusable access keys, by what is wrong with them. */
const accessKeys = { unknown: 'account_access_unknown', revoked: '', 'under-scoped': '' };

beforeAll(async () => {
  app = await startTestApp({ realClock: true });
  admin = new Keyward(app.sdkOptions);
  goodKey = (await admin.apiKeys.create({ name: 'Ada' })).key;
  const revoked = await admin.accessKeys.create({ name: 'revoked' });
  await admin.accessKeys.revoke(revoked.id);
  const narrow = await admin.accessKeys.create({ name: 'narrow', scopes: ['projects:read'] });
  Object.assign(accessKeys, { revoked: revoked.key, 'under-scoped': narrow.key });
});
afterAll(() => app.close());

/** Mistakes reproduced with the real server, and what the log must contain for each. */
const WITH_REAL_SERVER: [string, () => KeywardOptions, RegExp][] = [
  [
    'an unknown access key',
    () => ({ accessKey: accessKeys.unknown }),
    /credential_invalid.*accessKey/,
  ],
  ['a revoked access key', () => ({ accessKey: accessKeys.revoked }), /credential_revoked/],
  [
    'an access key without the scope',
    () => ({ accessKey: accessKeys['under-scoped'] }),
    /scope_missing.*keys:validate/,
  ],
  ['no access key', () => ({ accessKey: null }), /credential_missing/],
  ['a wrong path in the address', () => ({ url: `${app.url}/no/such` }), /route_not_found.*url/],
  ['an address where nothing listens', () => ({ url: 'http://127.0.0.1:9' }), /unreachable/],
];

const page = (status: number): Step => ({
  status,
  text: '<html>Not Keyward</html>',
  headers: { 'content-type': 'text/html' },
});

/** Responses that a test cannot get from the real server. */
const WITH_SCRIPTED_SERVER: [string, Step, RegExp][] = [
  ['a web page with status 200', page(200), /unexpected_response/],
  ['a web page with status 401', page(401), /unexpected_response/],
  ['a web page with status 403', page(403), /unexpected_response/],
  ['a web page with status 404', page(404), /unexpected_response/],
  ['a web page with status 429', page(429), /unexpected_response/],
  ['JSON of another service', { status: 404, body: { code: 'not_found' } }, /not_found/],
  ['a key code under a wrong status', refusal(401, 'key_revoked'), /key_revoked/],
  ['a redirect', { status: 302, headers: { location: '/login' } }, /unexpected_response/],
  ['the management limit', refusal(429, 'management_rate_limited'), /management_rate_limited/],
  ['an internal error', refusal(500, 'internal_error'), /internal_error/],
  ['overload', refusal(503, 'overloaded', { 'retry-after': '3' }), /overloaded/],
  ['a proxy without a server behind it', page(502), /status 502/],
  ['a cut connection', 'cut', /unreachable/],
  ['no response in time', 'silence', /timeout/],
];

describe.each(PROTECTED_SERVERS)('%s', (_name, start) => {
  async function expectUnavailable(keyward: KeyValidator, accessKey: string, reason: RegExp) {
    const logged: string[] = [];
    const server = await start(keyward, { log: (message) => logged.push(message) });
    await whileListening(server, async (get) => {
      for (const key of [goodKey, 'unknown-key', goodKey]) {
        const response = await get({ 'x-api-key': key });
        expect(response.status).toBe(503);
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
        expect(response.headers.has('www-authenticate')).toBe(false);
        expect(await response.json()).toEqual({
          statusCode: 503,
          message: 'API keys cannot be validated at the moment.',
          error: 'Service Unavailable',
          code: 'keyward_unavailable',
        });
      }
      // A request without a key is always the user's mistake.
      expect((await get()).status).toBe(401);
    });
    expect(logged).toEqual([expect.stringMatching(reason)]);
    for (const secret of [goodKey, accessKey]) expect(logged[0]).not.toContain(secret);
  }

  // `allow` is for an unavailable Keyward: a configuration mistake must not open the API.
  it.each(WITH_REAL_SERVER)('returns 503 with %s', async (kind, mistake, reason) => {
    const isUnreachable = kind.includes('nothing listens');
    const options: KeywardOptions = {
      ...app.sdkOptions,
      retries: 0,
      onUnavailable: isUnreachable ? undefined : 'allow',
      ...mistake(),
    };
    const accessKey = options.accessKey ?? 'none';
    await expectUnavailable(new Keyward(options), accessKey, reason);
    const local = new LocalKeyward({ ...options, log: () => {} });
    await expectUnavailable(local, accessKey, reason);
    await local.close();
  });

  it.each(WITH_SCRIPTED_SERVER)(
    'returns 503 if the address responds with %s',
    async (_kind, step, reason) => {
      await using server = await scriptedServer(step);
      const accessKey = 'live_access_of_ours';
      const timeoutMs = step === 'silence' ? 50 : CALL_TIMEOUT_MS;
      const keyward = new Keyward({ url: server.url, accessKey, retries: 0, timeoutMs });
      await expectUnavailable(keyward, accessKey, reason);
    },
  );

  it('passes on the Retry-After of Keyward', async () => {
    await using server = await scriptedServer(refusal(503, 'overloaded', { 'retry-after': '3' }));
    const options = { ...app.sdkOptions, url: server.url, retries: 0 };
    await whileListening(await start(new Keyward(options), { log: () => {} }), async (get) => {
      const response = await get({ 'x-api-key': goodKey });
      expect(response.headers.get('retry-after')).toBe('3');
    });
  });

  it('returns 503 when a custom validator throws', async () => {
    const broken: KeyValidator = {
      validate() {
        throw new Error('broken at 10.0.0.7');
      },
    };
    await expectUnavailable(broken, 'none', /broken at 10\.0\.0\.7/);
  });
});
