import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BREAKER_CASES } from '../../../../sdk/test/breaker-cases.ts';
import { refusal, type Step, scriptedServer } from '../../../../sdk/test/scripted-server.ts';
import { type ClientDriver, LANGUAGES, type Language } from './client-driver.ts';

const folder = mkdtempSync(join(tmpdir(), 'keyward-breaker-'));
afterAll(() => rmSync(folder, { recursive: true }));

const resultCode = ({ code }: { code: string }): string => code;

const OK: Step = { status: 200, body: { id: 'key_1', customMetaData: {} } };

describe.each(Object.keys(LANGUAGES) as Language[])('the client for %s', (language) => {
  let driver: ClientDriver;
  beforeAll(async () => {
    driver = await LANGUAGES[language](folder);
  });
  afterAll(() => driver?.close());

  const connectTo = (url: string, options: object = {}) =>
    driver.call('connect', { url, accessKey: 'live_access_x', retries: -1, ...options });
  const validate = () => driver.call('validate', { key: 'a-key-value' });

  it.each(BREAKER_CASES)('$name', async ({ steps }) => {
    const expected = steps.flatMap((step) => ('admit' in step ? [step.admit] : []));
    expect(await driver.call('breaker', { steps })).toEqual(expected);
  });

  it('does not send validations after a timeout, until the server responds to one without effect', async () => {
    await using server = await scriptedServer('silence', OK);
    await connectTo(server.url, { timeout: 240, validationTimeout: 0.5 });
    const codes: string[] = [];
    const codeOf = async (): Promise<string> => {
      const call = driver.call<{ code: string }>('validate', { key: 'a-key-value', cost: 5 });
      codes.push(await call.then(resultCode, resultCode));
      return codes.at(-1)!;
    };
    expect(await codeOf()).toBe('timeout');
    expect(await codeOf()).toBe('unavailable');
    const many = driver.call('validateMany', { keys: [{ key: 'a-key-value' }] });
    await expect(many).rejects.toMatchObject({ code: 'unavailable', isUnavailable: true });
    await expect.poll(codeOf).toBe('valid');
    const costs = server.seen.map(({ body }) => JSON.parse(body).cost);
    // On a slow machine, a request may time out before it arrives.
    const sent = codes.filter((code) => code !== 'unavailable');
    expect(costs.filter((cost) => cost === 5).length).toBeLessThanOrEqual(sent.length);
    expect(costs).toContain(0);
  });

  it('does not send validations after five failures, and other calls are still sent', async () => {
    await using server = await scriptedServer(refusal(503, 'overloaded', { 'retry-after': '30' }));
    await connectTo(server.url, { timeout: 240 });
    for (let n = 0; n < 5; n++)
      await expect(validate()).rejects.toMatchObject({ code: 'overloaded', isUnavailable: true });
    for (let n = 0; n < 5; n++)
      await expect(validate()).rejects.toMatchObject({ code: 'unavailable', isUnavailable: true });
    expect(server.seen).toHaveLength(5);
    const created = driver.call('create', { fields: { name: 'Ada' } });
    await expect(created).rejects.toMatchObject({ code: 'overloaded' });
    expect(server.seen).toHaveLength(6);
  });
});
