import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CALL_TIMEOUT_MS } from '../../server/test/harness/long-timeouts.ts';
import { waitMs } from '../src/http/retry.ts';
import { Keyward, KeywardUnavailable } from '../src/index.ts';
import { refusal, type Step, scriptedServer } from './scripted-server.ts';

const OK: Step = { status: 200, body: { id: 'key_1', customMetaData: {} } };
const OVERLOADED = refusal(503, 'overloaded', { 'retry-after': '0' });

const clientOf = (url: string) =>
  new Keyward({ url, accessKey: 'live_access_x', timeoutMs: CALL_TIMEOUT_MS });

it.each<[string, Step]>([
  ['a cut connection', 'cut'],
  ['502', { status: 502, text: '<html>' }],
  ['503', OVERLOADED],
  ['504', { status: 504, text: '' }],
  ['429 of a management call', refusal(429, 'management_rate_limited', { 'retry-after': '0' })],
])('retries after %s', async (_, step) => {
  await using server = await scriptedServer(step, step, OK);
  expect(await clientOf(server.url).apiKeys.get('key_1')).toMatchObject({ id: 'key_1' });
  expect(server.seen).toHaveLength(3);
});

it.each<[string, Step]>([
  ['404', refusal(404, 'key_not_found')],
  ['400', refusal(400, 'invalid_query')],
  ['500', refusal(500, 'internal_error')],
  ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:1/' } }],
])('does not retry after %s', async (_, step) => {
  await using server = await scriptedServer(step, OK);
  await expect(clientOf(server.url).apiKeys.get('key_1')).rejects.toThrow();
  expect(server.seen).toHaveLength(1);
});

it('validates a batch in halves while its response would be too large', async () => {
  const results = (...names: string[]): Step => {
    const records = names.map((id) => ({ id, customMetaData: {} }));
    const valid = { valid: true, statusCode: 200, code: 'valid' };
    return { status: 200, body: records.map((record) => ({ ...valid, record })) };
  };
  const tooLarge = refusal(413, 'batch_too_large');
  await using server = await scriptedServer(
    tooLarge,
    tooLarge,
    results('a'),
    results('b'),
    results('c'),
  );
  const validated = await clientOf(server.url).apiKeys.validateMany(['a', 'b', 'c']);
  expect(validated.map(({ record }) => record?.id)).toEqual(['a', 'b', 'c']);
  await using never = await scriptedServer(tooLarge);
  const call = clientOf(never.url).apiKeys.validateMany(['a', 'b']);
  await expect(call).rejects.toMatchObject({ code: 'batch_too_large' });
  expect(never.seen).toHaveLength(2);
});

it('gives up after the configured number of retries', async () => {
  await using server = await scriptedServer('cut');
  const call = clientOf(server.url).apiKeys.get('key_1', { retries: 1 });
  await expect(call).rejects.toMatchObject({ code: 'unreachable', statusCode: null });
  expect(server.seen).toHaveLength(2);
});

it('retries a create with the same idempotency key, even while the first attempt is running', async () => {
  const inFlight = refusal(409, 'idempotency_in_flight');
  await using server = await scriptedServer('cut', inFlight, { ...OK, status: 201 });
  await clientOf(server.url).apiKeys.create({ name: 'Ada' });
  const keys = server.seen.map(({ headers }) => headers['idempotency-key']);
  expect(keys).toHaveLength(3);
  expect(new Set(keys).size).toBe(1);
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
});

it('does not retry unsafe calls, unless the server rejected them before doing any work', async () => {
  const unsafe: ((keyward: Keyward) => Promise<unknown>)[] = [
    (keyward) => keyward.webhooks.rotateSecret('whk_1'),
    (keyward) => keyward.webhooks.ping({ url: 'https://a.example' }),
    (keyward) => keyward.apiKeys.erase('key_1'),
    (keyward) => keyward.plans.delete('pln_1'),
    (keyward) => keyward.apiKeys.update('key_1', { name: 'A', credits: { remaining: 1 } }),
  ];
  for (const call of unsafe) {
    await using cut = await scriptedServer('cut', OK);
    await expect(call(clientOf(cut.url))).rejects.toBeInstanceOf(KeywardUnavailable);
    expect(cut.seen).toHaveLength(1);
    await using busy = await scriptedServer(OVERLOADED, OK);
    await call(clientOf(busy.url));
    expect(busy.seen).toHaveLength(2);
  }
});

it('does not wait beyond its timeout, and returns the time to wait in the error', async () => {
  await using server = await scriptedServer(
    refusal(429, 'management_rate_limited', {
      'retry-after': '600',
      'retry-after-seconds': '599.5',
    }),
    OK,
  );
  const error = await clientOf(server.url)
    .apiKeys.get('key_1')
    .catch((thrown) => thrown);
  expect(error).toMatchObject({ code: 'management_rate_limited', retryAfterSeconds: 599.5 });
  expect(server.seen).toHaveLength(1);
});

it('ends after its timeout without a retry', async () => {
  await using server = await scriptedServer('silence');
  const unavailable = { name: 'KeywardUnavailable', code: 'timeout' };
  // On a slow machine the timeout may pass before the request arrives.
  let calls = 0;
  for (let timeoutMs = 50; server.seen.length === 0; timeoutMs *= 4) {
    calls++;
    await expect(clientOf(server.url).apiKeys.get('key_1', { timeoutMs })).rejects.toMatchObject(
      unavailable,
    );
  }
  expect(server.seen.length).toBeLessThanOrEqual(calls);
});

it('ends when its signal aborts: before, during and between attempts', async () => {
  await using silent = await scriptedServer('silence');
  const reason = new Error('the caller aborted');
  const gone = AbortSignal.abort(reason);
  const options = { onUnavailable: 'allow', signal: gone } as const;
  await expect(clientOf(silent.url).validate('key', options)).rejects.toBe(reason);
  expect(silent.seen).toHaveLength(0);
  const leaving = new AbortController();
  const call = clientOf(silent.url).apiKeys.get('key_1', { signal: leaving.signal });
  const left = expect(call).rejects.toBe(reason);
  await expect.poll(() => silent.seen.length).toBe(1);
  leaving.abort(reason);
  await left;
  await using busy = await scriptedServer(refusal(503, 'overloaded', { 'retry-after': '100' }));
  const waiting = new AbortController();
  const later = clientOf(busy.url).apiKeys.get('key_1', { signal: waiting.signal });
  const gaveUp = expect(later).rejects.toBe(reason);
  await expect.poll(() => busy.seen.length).toBe(1);
  // Time to read the response, which asks for a wait of 100 s.
  await sleep(50);
  waiting.abort(reason);
  await gaveUp;
  expect(busy.seen).toHaveLength(1);
});

it('does not send the access key to the target of a redirect', async () => {
  await using elsewhere = await scriptedServer(OK);
  await using server = await scriptedServer({
    status: 307,
    headers: { location: `${elsewhere.url}/api-keys/key_1` },
  });
  const call = clientOf(server.url).apiKeys.get('key_1');
  await expect(call).rejects.toMatchObject({ code: 'unexpected_response', statusCode: 307 });
  expect(elsewhere.seen).toHaveLength(0);
});

it('waits with full jitter under an exponential ceiling, and at least the time in Retry-After', () => {
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 40 }), random, (attempt, share) => {
      const ceiling = Math.min(5_000, 100 * 2 ** attempt);
      expect(waitMs(attempt, null, share)).toBeCloseTo(share * ceiling);
      expect(waitMs(attempt, 7, share)).toBe(7_000);
    }),
  );
});
