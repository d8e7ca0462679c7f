import { expect, it } from 'vitest';
import { CALL_TIMEOUT_MS } from '../../server/test/harness/long-timeouts.ts';
import { Keyward, type KeywardOptions, KeywardUnavailable } from '../src/index.ts';
import { refusal, type Step, scriptedServer } from './scripted-server.ts';

const clientOf = (url: string, options: KeywardOptions = {}) =>
  new Keyward({
    url,
    accessKey: 'live_access_x',
    timeoutMs: CALL_TIMEOUT_MS,
    retries: 0,
    ...options,
  });

/** Only the silent server makes the client wait for its timeout. */
const timeoutFor = (step: Step): KeywardOptions => (step === 'silence' ? { timeoutMs: 50 } : {});

const UNAVAILABLE: [string, Step][] = [
  ['a cut connection', 'cut'],
  ['silence', 'silence'],
  ['503', refusal(503, 'storage_unavailable')],
  ['502 of a proxy', { status: 502, text: '<h1>Bad Gateway</h1>' }],
];

it.each(UNAVAILABLE)('%s: throws without onUnavailable', async (_, step) => {
  await using server = await scriptedServer(step);
  const keyward = clientOf(server.url, timeoutFor(step));
  await expect(keyward.validate('k')).rejects.toBeInstanceOf(KeywardUnavailable);
  await expect(keyward.apiKeys.validateMany(['k'])).rejects.toBeInstanceOf(KeywardUnavailable);
});

it.each(UNAVAILABLE)(
  '%s: is denied or allowed by onUnavailable, and never valid',
  async (_, step) => {
    await using server = await scriptedServer(step);
    const denied = await clientOf(server.url, {
      ...timeoutFor(step),
      onUnavailable: 'deny',
    }).validate('k');
    expect(denied).toMatchObject({ valid: null, allowed: false, record: null });
    expect(denied.valid === null && denied.error).toBeInstanceOf(KeywardUnavailable);
    const allowing = clientOf(server.url, { ...timeoutFor(step), onUnavailable: 'allow' });
    expect(await allowing.validate('k')).toMatchObject({ valid: null, allowed: true });
    expect(await allowing.apiKeys.validateMany(['k', 'l'])).toMatchObject([
      { valid: null, allowed: true },
      { valid: null, allowed: true },
    ]);
    // The option of the call overrides the option of the client.
    expect(await allowing.validate('k', { onUnavailable: 'deny' })).toMatchObject({
      allowed: false,
    });
  },
);

it('calls an asynchronous onUnavailable function', async () => {
  await using server = await scriptedServer(refusal(503, 'overloaded'));
  const codes: string[] = [];
  const keyward = clientOf(server.url, {
    onUnavailable: async (error) => {
      codes.push(error.code);
      return codes.length === 1 ? 'allow' : 'deny';
    },
  });
  expect((await keyward.validate('k')).allowed).toBe(true);
  expect((await keyward.validate('k')).allowed).toBe(false);
  expect(codes).toEqual(['overloaded', 'overloaded']);
});

it.each<[string, Step]>([
  ['a page with status 200', { status: 200, text: '<html>Log in</html>' }],
  ['JSON of something else', { status: 200, body: { ok: true } }],
  ['a list instead of one result', { status: 200, body: [] }],
  ['a 404 of something else', { status: 404, text: 'not here' }],
  ['a 429 of something else', { status: 429, text: 'slow down' }],
  ['a redirect', { status: 302, headers: { location: '/login' } }],
  ['a code under another status', refusal(200, 'key_weird')],
])('%s is not a validation result: it throws even with onUnavailable: allow', async (_, step) => {
  await using server = await scriptedServer(step);
  const keyward = clientOf(server.url, { onUnavailable: 'allow' });
  await expect(keyward.validate('k')).rejects.toMatchObject({ code: 'unexpected_response' });
  await expect(keyward.apiKeys.validateMany(['k'])).rejects.toMatchObject({
    code: 'unexpected_response',
  });
});

it('ignores a refusal code with a wrong status', async () => {
  await using server = await scriptedServer(refusal(400, 'key_revoked'));
  const keyward = clientOf(server.url, { onUnavailable: 'allow' });
  await expect(keyward.validate('k')).rejects.toMatchObject({ statusCode: 400 });
});
