import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { TcpProxy } from '../../../server/test/harness/tcp-proxy.ts';
import { startTestApp, type TestApp } from '../../../server/test/harness/test-app.ts';
import { LocalKeyward, type LocalOptions } from '../../src/local/index.ts';
import { fromCache } from './from-cache.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ realClock: true });
});
afterAll(() => app.close());

/** A client behind a link that the test can freeze. */
async function open(options: Partial<LocalOptions>) {
  const link = await TcpProxy.to('127.0.0.1', Number(new URL(app.url).port));
  const local = new LocalKeyward({
    ...app.sdkOptions,
    url: `http://127.0.0.1:${link.port}`,
    log: () => {},
    ...options,
  });
  onTestFinished(async () => {
    link.cut();
    await local.close();
    await link.close();
  });
  await local.ready;
  return { link, local };
}

const createKey = async (fields: object = {}) =>
  (await app.client.post('/api-keys', { name: 'Key', projectId: app.projectId, ...fields })).body;

/** Validates until the process can no longer decide alone. */
async function untilSilent(local: LocalKeyward, key: string): Promise<void> {
  while (!(local.validate(key) instanceof Promise))
    await new Promise((resolve) => setTimeout(resolve, 50));
}

it('serve-known: cached keys are decided by all rules, and others are denied', async () => {
  const { link, local } = await open({ onUnavailable: 'serve-known', staleSeconds: 600 });
  const [known, unknown] = [await createKey({ permissions: ['a'] }), await createKey()];
  const limited = await createKey({ rateLimitConfigs: { rateLimit: 100, rateLimitTtl: 3_600 } });
  const gone = await createKey({ expiry: new Date(Date.now() + 3_600_000).toISOString() });
  for (const { key } of [known, gone]) await fromCache(local, key);
  await local.validate(limited.key);
  link.cut();
  await untilSilent(local, known.key);
  expect(await local.validate(known.key)).toMatchObject({ valid: true, record: { id: known.id } });
  expect(await local.validate(known.key, { permissions: 'b' })).toMatchObject({
    valid: false,
    code: 'permission_denied',
  });
  expect(await local.validate(unknown.key)).toMatchObject({ valid: null, allowed: false });
  // Its lease of one request is used up.
  expect(await local.validate(limited.key)).toMatchObject({ valid: null, allowed: false });
  // The option of a call replaces that of the client.
  for (const onUnavailable of ['deny', 'allow'] as const)
    expect(await local.validate(known.key, { onUnavailable })).toMatchObject({
      valid: null,
      allowed: onUnavailable === 'allow',
    });
  await app.client.delete(`/api-keys/${known.id}`);
  link.forward();
  await expect.poll(async () => (await local.validate(known.key)).valid).toBe(false);
  expect(await local.validate(gone.key)).toMatchObject({ valid: true });
});

it('serve-known ends after staleSeconds', async () => {
  const { link, local } = await open({ onUnavailable: 'serve-known', staleSeconds: 4 });
  const { key } = await createKey();
  await fromCache(local, key);
  link.cut();
  const cutAt = performance.now();
  let servedUntil = cutAt;
  await expect
    .poll(async () => {
      const startedAt = performance.now();
      const { valid } = await local.validate(key);
      if (valid) servedUntil = startedAt;
      return valid;
    })
    .toBeNull();
  expect(servedUntil - cutAt).toBeLessThan(4_000);
});

it.each([0, 86_401, Number.NaN])('rejects staleSeconds: %s', (staleSeconds) => {
  expect(() => new LocalKeyward({ ...app.sdkOptions, staleSeconds })).toThrow(/`staleSeconds`/);
});

it('a server that does not respond costs one timeout, although it would be asked twice', async () => {
  const { link, local } = await open({ validationTimeoutMs: 1_000, onUnavailable: 'deny' });
  const [{ key }, unknown] = [await createKey(), await createKey()];
  await fromCache(local, key);
  link.freeze();
  const asked = vi.spyOn(local.client, 'validate');
  const startedAt = performance.now();
  expect(await local.validate(unknown.key)).toMatchObject({ valid: null, allowed: false });
  // The lease request has used up the timeout, so there is none left for the validation.
  expect(asked.mock.calls[0]![1]!.timeoutMs).toBeLessThan(900);
  expect(performance.now() - startedAt).toBeGreaterThan(900);
  await untilSilent(local, key);
  for (const value of [key, unknown.key, key])
    expect(await local.validate(value)).toMatchObject({ valid: null, allowed: false });
  link.forward();
  await expect.poll(async () => (await local.validate(key)).valid).toBe(true);
});
