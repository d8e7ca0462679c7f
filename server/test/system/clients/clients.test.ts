import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { addKey, addWebhook, LOOPBACK } from '../../webhooks/delivery-app.ts';
import { type Receiver, startReceiver } from '../../webhooks/receiver.ts';
import { type ClientDriver, LANGUAGES, type Language } from './client-driver.ts';

interface Result {
  readonly valid: boolean;
  readonly code: string;
  readonly status: number;
  readonly record: { readonly id: string; readonly name: string; readonly key: string } | null;
  readonly rateLimit: { readonly limit: number; readonly remaining: number } | null;
  readonly missing: readonly string[];
  readonly retryAfter: number;
}

const folder = mkdtempSync(join(tmpdir(), 'keyward-clients-'));
let test: TestApp;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  test = await startTestApp({ webhookAllow: LOOPBACK, realClock: true });
});
afterAll(async () => {
  await test.close();
  await receiver.close();
  rmSync(folder, { recursive: true });
});

/** A customer creates a key in the portal. */
async function addKeyInPortal(customAccountId: string): Promise<string> {
  const { client, projectId } = test;
  const { body: session } = await client.post('/portal-sessions', { customAccountId, projectId });
  const name = `of ${session.id}`;
  const headers = { authorization: `Bearer ${session.token}` };
  const { status, text } = await client.as(null).post('/portal/api-keys', { name }, headers);
  expect(status, text).toBe(201);
  return name;
}

describe.each(Object.keys(LANGUAGES) as Language[])('the client for %s', (language) => {
  let driver: ClientDriver;
  beforeAll(async () => {
    driver = await LANGUAGES[language](folder);
    await driver.call('connect', { url: test.url, accessKey: test.accessKey, timeout: 240 });
  });
  afterAll(() => driver?.close());

  const create = (fields: object) =>
    driver.call<{ id: string; key: string; name: string }>('create', { fields });
  const validate = (key: string, options: object = {}) =>
    driver.call<Result>('validate', { key, ...options });

  it('creates, validates and rotates keys', async () => {
    const made = await create({ name: 'Ada', customMetaData: { plan: 'pro' }, tags: ['beta'] });
    expect(made).toMatchObject({ name: 'Ada', customMetaData: { plan: 'pro' }, tags: ['beta'] });
    const { body: stored } = await test.client.get(`/api-keys/${made.id}`);
    expect({ ...made, key: '' }).toMatchObject({ ...stored, key: '' });

    expect(await validate(made.key)).toMatchObject({
      valid: true,
      code: 'valid',
      status: 200,
      record: { id: made.id, name: 'Ada', customMetaData: { plan: 'pro' }, customUserId: null },
      rateLimit: null,
    });
    const next = await driver.call<{ key: string }>('rotate', { key: made.id, graceSeconds: 0 });
    expect(await validate(made.key)).toMatchObject({
      valid: false,
      code: 'key_revoked',
      record: null,
    });
    expect((await validate(next.key)).valid).toBe(true);
  });

  it('creates one key for one idempotency key', async () => {
    const request = { fields: { name: 'once' }, idempotencyKey: `once-${language}` };
    const first = await driver.call('create', request);
    expect(await driver.call('create', request)).toEqual(first);
  });

  it('validates through a unix socket', async () => {
    const { key } = await create({ name: 'Unix' });
    const path = join(folder, `${language}.sock`);
    const port = Number(new URL(test.url).port);
    const sockets = createServer((near) => {
      const far = connect(port, '127.0.0.1');
      near.pipe(far).pipe(near);
      near.on('error', () => far.destroy());
      far.on('error', () => near.destroy());
    }).listen(path);
    const other = await LANGUAGES[language](folder);
    try {
      await other.call('connect', { url: `unix:${path}`, accessKey: test.accessKey, timeout: 240 });
      for (let i = 0; i < 3; i++)
        expect(await other.call('validate', { key })).toMatchObject({ record: { name: 'Unix' } });
    } finally {
      await other.close();
      sockets.close();
    }
  });

  it('says why a key is refused', async () => {
    expect(await validate('unknown-key')).toMatchObject({ code: 'key_not_found', status: 404 });
    expect(await validate('')).toMatchObject({ valid: false, status: 404 });

    const { key } = await create({
      name: 'Bound',
      permissions: ['documents.read'],
      allowedIPs: ['203.0.113.0/24'],
      allowedDomains: ['app.example.com'],
      rateLimitConfigs: { rateLimit: 2, rateLimitTtl: 3600 },
    });
    const here = { clientIP: '203.0.113.7', originDomain: 'app.example.com' };
    expect((await validate(key)).code).toBe('domain_denied');
    expect((await validate(key, { ...here, originDomain: 'a b\r\nx: y' })).code).toBe(
      'domain_denied',
    );
    for (const clientIP of ['203.0.113', 'fe80::1%eth0', '198.51.100.1'])
      expect((await validate(key, { ...here, clientIP })).code).toBe('ip_denied');
    const permissions = { any: ['documents.write', 'users.read'] };
    expect(await validate(key, { ...here, permissions })).toMatchObject({
      code: 'permission_denied',
      status: 403,
      missing: ['documents.write', 'users.read'],
    });
    const allowed = { ...here, permissions: 'documents.read' };
    expect((await validate(key, { ...allowed, cost: 0 })).rateLimit?.remaining).toBe(2);
    expect(await validate(key, { ...allowed, cost: 2 })).toMatchObject({
      valid: true,
      rateLimit: { limit: 2, remaining: 0, consumed: 2 },
    });
    expect(await validate(key, allowed)).toMatchObject({
      code: 'rate_limited',
      status: 429,
      rateLimit: { limit: 2, remaining: 0 },
    });
  });

  it('sends a cost by unit, and the resource that selects the limits', async () => {
    await test.client.patch(`/projects/${test.projectId}`, { units: ['tokens'] });
    const limit = {
      name: 'chat',
      rateLimit: 10,
      rateLimitTtl: 3600,
      unit: 'tokens',
      for: ['chat*'],
    };
    const { key } = await create({ name: 'Tokens', limits: [limit] });
    const left = (result: Result | undefined) => result?.rateLimit?.remaining;
    const needs = { cost: { tokens: 3 }, resource: 'chat:new' };
    expect(left(await validate(key, needs))).toBe(7);
    expect((await validate(key, { cost: { tokens: 3 } })).rateLimit).toBeNull();
    expect((await validate(key, { ...needs, cost: { tokens: 8 } })).code).toBe('rate_limited');
    const [first, second] = await driver.call<Result[]>('validateMany', {
      keys: [
        { key, cost: { tokens: 2 } },
        { key, resource: 'other' },
      ],
      resource: 'chat',
    });
    expect([first?.valid, left(first), second?.valid]).toEqual([true, 5, true]);
    expect(second?.rateLimit).toBeNull();
    const [plain] = await driver.call<Result[]>('validateMany', { keys: [{ key }] });
    expect(plain?.valid).toBe(true);
  });

  it('says how long to wait until a limit or credits allow the key again', async () => {
    const refill = { amount: 5, interval: 'month' };
    const limit = (rateLimit: number) => ({ rateLimitConfigs: { rateLimit, rateLimitTtl: 3600 } });
    const monthSeconds = 31 * 86_400;
    const cases: [string, object, number][] = [
      ['credits_exhausted', { ...limit(9), credits: { remaining: 0, refill } }, monthSeconds],
      ['credits_exhausted', { credits: { remaining: 0 } }, 0],
      ['rate_limited', limit(1), 3600],
    ];
    for (const [code, fields, secondsMax] of cases) {
      const { key } = await create({ name: code, ...fields });
      const single = await validate(key, { cost: 2 });
      const keys = [{ key, cost: 2 }];
      const [ofBatch] = await driver.call<Result[]>('validateMany', { keys });
      for (const result of [single, ofBatch]) {
        expect(result).toMatchObject({ valid: false, code });
        expect(result?.retryAfter).toBeLessThanOrEqual(secondsMax);
        if (secondsMax > 0) expect(result?.retryAfter).toBeGreaterThan(0);
      }
    }
  });

  it('validates batches of any size, in order', async () => {
    const [first, second] = [await create({ name: 'first' }), await create({ name: 'second' })];
    const keys = Array.from({ length: 2_503 }, (_, i) => ({ key: `unknown-${i}` }));
    keys[0] = { key: first.key };
    keys[1] = { key: 'x'.repeat(5_000) };
    keys[2] = { key: 'with a \0' };
    keys[2_502] = { key: second.key };
    const results = await driver.call<Result[]>('validateMany', { keys });
    expect(results).toHaveLength(keys.length);
    expect(results[0]?.record?.id).toBe(first.id);
    expect(results.at(-1)?.record?.id).toBe(second.id);
    expect(results.slice(1, 3).map(({ code }) => code)).toEqual(['key_malformed', 'key_malformed']);
    expect(new Set(results.slice(3, -1).map(({ code }) => code))).toEqual(
      new Set(['key_not_found']),
    );

    const priced = [
      { key: first.key, permissions: 'documents.read' },
      { key: first.key, cost: 0 },
    ];
    const [refused, accepted] = await driver.call<Result[]>('validateMany', { keys: priced });
    expect(refused).toMatchObject({ code: 'permission_denied', missing: ['documents.read'] });
    expect(accepted?.valid).toBe(true);

    // With the cost in each of them, these do not fit into one call. Python takes no cost for all keys.
    const alike = Array.from({ length: 1_000 }, () => ({ key: 'z'.repeat(48) }));
    const request = { keys: alike, ...(language === 'go' && { cost: 2 }) };
    expect(await driver.call('validateMany', request)).toHaveLength(1_000);
  });

  it('verifies webhooks of both formats', async () => {
    const topics = ['api-key.created'];
    for (const format of ['standard', 'cloudevents']) {
      const path = `/${language}-${format}`;
      const { secret } = await addWebhook(test, receiver.url + path, { topics, format });
      const { id } = await addKey(test, format);
      await receiver.until((all) => all.some((each) => each.path === path));
      const { headers, body } = receiver.received.find((each) => each.path === path)!;
      const verify = (changes: object = {}) =>
        driver.call('verify', { body, headers, secrets: [secret], now: seconds, ...changes });
      const seconds = Number(headers['webhook-timestamp']);

      const event = await verify({ secrets: ['whsec_AAAA', secret] });
      expect(event).toMatchObject({
        id: headers['webhook-id'],
        type: 'api-key.created',
        timestamp: expect.stringMatching(/^20/),
        accountId: test.accountId,
        projectId: test.projectId,
        data: { id, name: format },
      });
      expect(event).not.toHaveProperty('actor');
      const changed: [string, object][] = [
        ['headers_missing', { headers: {} }],
        ['timestamp_invalid', { headers: { ...headers, 'webhook-timestamp': '1e9' } }],
        ['timestamp_too_old', { now: seconds + 301 }],
        ['timestamp_too_new', { now: seconds - 301 }],
        ['signature_invalid', { secrets: ['whsec_AAAA'] }],
        ['signature_invalid', { body: `${body} ` }],
        ['signature_invalid', { headers: { ...headers, 'webhook-id': 'evt_other' } }],
        ['signature_invalid', { headers: { ...headers, 'webhook-signature': 'v1, v2,AAAA v1,?' } }],
      ];
      for (const [code, changes] of changed)
        await expect(verify(changes)).rejects.toMatchObject({ code });

      const name = await addKeyInPortal('acme');
      const isOfPortal = (each: { path: string; body: string }) =>
        each.path === path && each.body.includes(name);
      await receiver.until((all) => all.some(isOfPortal));
      expect(await verify(receiver.received.find(isOfPortal))).toMatchObject({
        actor: { type: 'portal', customAccountId: 'acme' },
        data: { name },
      });
    }
  });
});
