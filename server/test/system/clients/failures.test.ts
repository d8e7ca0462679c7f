import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { refusal, type Step, scriptedServer } from '../../../../sdk/test/scripted-server.ts';
import { type ClientDriver, LANGUAGES, type Language } from './client-driver.ts';

const folder = mkdtempSync(join(tmpdir(), 'keyward-clients-'));
afterAll(() => rmSync(folder, { recursive: true }));

const OK: Step = { status: 200, body: { id: 'key_1', customMetaData: {} } };
const MADE: Step = { ...OK, status: 201 };

describe.each(Object.keys(LANGUAGES) as Language[])('the client for %s', (language) => {
  let driver: ClientDriver;
  beforeAll(async () => {
    driver = await LANGUAGES[language](folder);
  });
  afterAll(() => driver?.close());

  const connectTo = (url: string, options: object = {}) =>
    driver.call('connect', { url, accessKey: 'live_access_x', timeout: 240, ...options });
  const validate = () => driver.call('validate', { key: 'a-key-value' });

  it.each<[string, Step]>([
    ['a cut connection', 'cut'],
    ['502', { status: 502, text: '<html>' }],
    ['503', refusal(503, 'overloaded', { 'retry-after': '0' })],
    ['504', { status: 504, text: '' }],
  ])('repeats a validation after %s', async (_, step) => {
    await using server = await scriptedServer(step, step, OK);
    await connectTo(server.url);
    expect(await validate()).toMatchObject({ valid: true });
    expect(server.seen).toHaveLength(3);
    expect(server.seen[0]?.headers).toMatchObject({ 'x-api-key': 'live_access_x' });
    expect(server.seen[0]?.headers).not.toHaveProperty('x-idempotency-key');
  });

  it('repeats a create with the same idempotency key', async () => {
    const inFlight = refusal(409, 'idempotency_in_flight');
    const limited = refusal(429, 'management_rate_limited', { 'retry-after': '0' });
    for (const script of [['cut', inFlight], [limited]] as Step[][]) {
      await using server = await scriptedServer(...script, MADE);
      await connectTo(server.url);
      await driver.call('create', { fields: { name: 'Ada' } });
      const keys = server.seen.map(({ headers }) => headers['idempotency-key']);
      expect(keys).toHaveLength(script.length + 1);
      expect(new Set(keys).size).toBe(1);
      expect(keys[0]).toMatch(/^[0-9a-f-]{32,36}$/);
    }
  });

  it('continues on a new connection when an idle one was closed', async () => {
    await using server = await scriptedServer(OK, 'cut', OK);
    await connectTo(server.url, { retries: -1 });
    await validate();
    expect(await validate()).toMatchObject({ valid: true });
    expect(server.seen).toHaveLength(3);
  });

  it.each<[string, Step, object]>([
    ['a refused access key', refusal(401, 'credential_invalid'), { code: 'credential_invalid' }],
    ['a missing scope', refusal(403, 'scope_missing'), { code: 'scope_missing', status: 403 }],
    ['the 404 of a proxy', { status: 404, text: 'no' }, { code: 'unexpected_response' }],
    ['a code with another status', refusal(400, 'key_revoked'), { code: 'key_revoked' }],
    ['a login page', { status: 200, text: '<html>' }, { code: 'unexpected_response' }],
    ['another JSON', { status: 200, body: { ok: true } }, { code: 'unexpected_response' }],
    ['a list', { status: 200, body: [] }, { code: 'unexpected_response' }],
    [
      'a redirect',
      { status: 307, headers: { location: 'http://127.0.0.1:1/' } },
      { code: 'unexpected_response' },
    ],
    ['500', refusal(500, 'internal_error'), { code: 'internal_error', isUnavailable: true }],
  ])('does not take %s for a verdict', async (_, step, error) => {
    await using server = await scriptedServer(step);
    await connectTo(server.url);
    await expect(validate()).rejects.toMatchObject({ isUnavailable: false, ...error });
    expect(server.seen).toHaveLength(1);
  });

  it('does not take an incomplete batch for a verdict', async () => {
    const item = { valid: true, statusCode: 200, code: 'valid' };
    const record = { id: 'key_1', customMetaData: {} };
    const bodies = [[], [item], [{ ...item, record }, item], [{ valid: false, code: 'odd' }], {}];
    for (const body of bodies) {
      await using server = await scriptedServer({ status: 200, body });
      await connectTo(server.url);
      const call = driver.call('validateMany', { keys: [{ key: 'a-key-value' }] });
      await expect(call).rejects.toMatchObject({ code: 'unexpected_response' });
    }
  });

  it('validates a batch in halves while its response would be too large', async () => {
    const results = (...ids: string[]): Step => {
      const valid = { valid: true, statusCode: 200, code: 'valid' };
      return {
        status: 200,
        body: ids.map((id) => ({ ...valid, record: { id, customMetaData: {} } })),
      };
    };
    const validateMany = (...keys: string[]) =>
      driver.call<{ record: { id: string } }[]>('validateMany', {
        keys: keys.map((key) => ({ key })),
      });
    const tooLarge = refusal(413, 'batch_too_large');
    const halves = [results('a'), tooLarge, results('b'), results('c')];
    await using server = await scriptedServer(tooLarge, ...halves);
    await connectTo(server.url);
    const validated = await validateMany('a', 'b', 'c');
    expect(validated.map(({ record }) => record.id)).toEqual(['a', 'b', 'c']);
    await using never = await scriptedServer(tooLarge);
    await connectTo(never.url);
    await expect(validateMany('a', 'b')).rejects.toMatchObject({ code: 'batch_too_large' });
    expect(never.seen).toHaveLength(2);
  });

  it('does not wait longer than its timeout, and does not repeat what may still run', async () => {
    await using busy = await scriptedServer(refusal(503, 'overloaded', { 'retry-after': '600' }));
    await connectTo(busy.url);
    await expect(validate()).rejects.toMatchObject({ code: 'overloaded', isUnavailable: true });
    expect(busy.seen).toHaveLength(1);

    await using silent = await scriptedServer('silence');
    let calls = 0;
    // On a slow machine the timeout may pass before the request arrives.
    for (let timeout = 0.1; silent.seen.length === 0; timeout *= 4) {
      calls++;
      await connectTo(silent.url, { timeout });
      await expect(validate()).rejects.toMatchObject({ code: 'timeout', isUnavailable: true });
    }
    expect(silent.seen.length).toBeLessThanOrEqual(calls);
  });

  it('does not wait longer than its timeout for a response that never ends', async () => {
    const body = new Set<NodeJS.Timeout>();
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      body.add(setInterval(() => response.write(' '), 20));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(async () => {
      for (const timer of body) clearInterval(timer);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    const { port } = server.address() as AddressInfo;
    await connectTo(`http://127.0.0.1:${port}`, { timeout: 0.5 });
    await expect(validate()).rejects.toMatchObject({ code: 'timeout', isUnavailable: true });
  });

  it('says that nothing listens at the URL', async () => {
    for (const url of ['http://127.0.0.1:9', `unix:${folder}/nothing.sock`]) {
      await connectTo(url, { retries: 1 });
      await expect(validate()).rejects.toMatchObject({ code: 'unreachable', isUnavailable: true });
    }
  });

  it('refuses a request without a key also while nothing listens at the URL', async () => {
    await connectTo('http://127.0.0.1:9');
    const result = await driver.call('validate', { key: '' });
    expect(result).toMatchObject({ valid: false, code: 'key_malformed', status: 404 });
  });

  it.each(['', 'keys.example.com', 'ftp://a.example', 'http://user@a.example', 'unix:relative'])(
    'refuses the URL "%s"',
    async (url) => {
      await expect(connectTo(url)).rejects.toThrow('unix:/run/keyward/edge.sock');
    },
  );

  it('never quotes an access key', async () => {
    const call = connectTo('http://127.0.0.1:9', { accessKey: 'live_access_secret\r\nx: y' });
    await expect(call).rejects.toThrow(/^(?!.*secret).*line breaks/s);
  });
});

it('the Go client works in a program that has replaced http.DefaultTransport', async () => {
  const driver = await LANGUAGES.go(folder);
  onTestFinished(() => driver.close());
  await driver.call('replaceDefaultTransport');
  await using server = await scriptedServer(OK);
  for (const url of [`unix:${folder}/nothing.sock`, server.url])
    await driver.call('connect', { url, accessKey: 'live_access_x', timeout: 240 });
  expect(await driver.call('validate', { key: 'a-key-value' })).toMatchObject({ valid: true });
});
