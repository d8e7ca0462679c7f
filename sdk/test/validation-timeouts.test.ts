import { afterEach, expect, it, vi } from 'vitest';
import { CALL_TIMEOUT_MS } from '../../server/test/harness/long-timeouts.ts';
import { Keyward, type KeywardOptions } from '../src/index.ts';
import { LocalKeyward } from '../src/local/index.ts';
import { refusal, type Step, scriptedServer } from './scripted-server.ts';

afterEach(() => vi.restoreAllMocks());

const OK: Step = { status: 200, body: { id: 'key_1', customMetaData: {} } };
const VALID = {
  valid: true,
  statusCode: 200,
  code: 'valid',
  record: { id: 'key_1', customMetaData: {} },
};

const clientOf = (url: string, options: KeywardOptions = {}) =>
  new Keyward({ url, accessKey: 'live_access_x', retries: 0, ...options });

it.each<[string, KeywardOptions, { validate: number; batch: number; other: number }]>([
  ['no option', {}, { validate: 1_000, batch: 5_000, other: 5_000 }],
  ['timeoutMs', { timeoutMs: 3_000 }, { validate: 3_000, batch: 3_000, other: 3_000 }],
  [
    'validationTimeoutMs',
    { validationTimeoutMs: 200 },
    { validate: 200, batch: 5_000, other: 5_000 },
  ],
  [
    'both',
    { timeoutMs: 9_000, validationTimeoutMs: 200 },
    { validate: 200, batch: 9_000, other: 9_000 },
  ],
])('with %s, calls have these timeouts', async (_, options, expected) => {
  const { timeout } = AbortSignal;
  const timers = vi
    .spyOn(AbortSignal, 'timeout')
    .mockImplementation(() => timeout(CALL_TIMEOUT_MS));
  await using server = await scriptedServer(OK, { status: 200, body: [VALID] }, OK);
  const keyward = clientOf(server.url, options);
  await keyward.validate('k');
  await keyward.apiKeys.validateMany(['k']);
  await keyward.apiKeys.get('key_1');
  const [validate, batch, other] = timers.mock.calls.flat();
  // What is left of the timeout when the request is sent.
  for (const [ms, max] of [
    [validate, expected.validate],
    [batch, expected.batch],
    [other, expected.other],
  ] as const) {
    expect(ms).toBeLessThanOrEqual(max);
    expect(ms).toBeGreaterThan(max - 150);
  }
});

it.each(['1000', 0, -1, Number.NaN])('rejects validationTimeoutMs: %s', (value) => {
  const options = {
    url: 'https://a.example',
    accessKey: 'x',
    validationTimeoutMs: value as number,
  };
  for (const Client of [Keyward, LocalKeyward])
    expect(() => new Client(options)).toThrow(/`validationTimeoutMs` must be a number/);
});

it('includes retries in the timeout', async () => {
  await using server = await scriptedServer(refusal(503, 'overloaded', { 'retry-after': '2' }));
  const keyward = clientOf(server.url, { retries: 2 });
  const startedAt = performance.now();
  await expect(keyward.validate('k')).rejects.toMatchObject({ code: 'overloaded' });
  // The wait would not end within the timeout, so there is none.
  expect(server.seen).toHaveLength(1);
  expect(performance.now() - startedAt).toBeLessThan(2_000);
});

it('after a timeout, sends no validation until the server responds to one without effect', async () => {
  await using server = await scriptedServer('silence', OK);
  const keyward = clientOf(server.url, {
    timeoutMs: CALL_TIMEOUT_MS,
    validationTimeoutMs: 300,
    onUnavailable: 'deny',
  });
  const codes: string[] = [];
  const validate = async () => {
    const validation = await keyward.validate('k', { cost: 5 });
    codes.push(validation.valid === null ? validation.error.code : 'valid');
    return validation;
  };
  expect(await validate()).toMatchObject({ error: { code: 'timeout' } });
  const unavailable = { code: 'unavailable', statusCode: null, cause: { code: 'timeout' } };
  const refused = { valid: null, allowed: false, error: unavailable };
  expect(await validate()).toMatchObject(refused);
  expect(await keyward.apiKeys.validateMany(['k', 'l'])).toMatchObject([refused, refused]);
  await expect.poll(async () => (await validate()).valid).toBe(true);
  const costs = server.seen.map(({ body }) => JSON.parse(body).cost);
  // On a slow machine, a request may time out before it arrives.
  const sent = codes.filter((code) => code !== 'unavailable');
  expect(costs.filter((cost) => cost === 5).length).toBeLessThanOrEqual(sent.length);
  expect(costs).toContain(0);
});

it('after five failures, sends no validation, but other calls', async () => {
  await using server = await scriptedServer(refusal(503, 'overloaded', { 'retry-after': '30' }));
  const keyward = clientOf(server.url, { timeoutMs: CALL_TIMEOUT_MS });
  for (let n = 0; n < 5; n++)
    await expect(keyward.validate('k')).rejects.toMatchObject({ code: 'overloaded' });
  for (let n = 0; n < 5; n++)
    await expect(keyward.validate('k')).rejects.toMatchObject({
      code: 'unavailable',
      retryAfterSeconds: expect.toSatisfy((seconds) => seconds > 0 && seconds <= 30),
    });
  expect(server.seen).toHaveLength(5);
  await expect(keyward.apiKeys.get('key_1')).rejects.toMatchObject({ code: 'overloaded' });
  expect(server.seen).toHaveLength(6);
});

it('refusals of keys, of the access key and of the limit are sent each time', async () => {
  for (const [status, code] of [
    [404, 'key_not_found'],
    [429, 'rate_limited'],
    [401, 'credential_invalid'],
    [500, 'internal_error'],
  ] as const) {
    await using server = await scriptedServer(refusal(status, code));
    const keyward = clientOf(server.url, { timeoutMs: CALL_TIMEOUT_MS });
    for (let n = 0; n < 7; n++) await keyward.validate('k').catch(() => {});
    expect(server.seen).toHaveLength(7);
  }
});
