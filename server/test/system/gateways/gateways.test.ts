import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../../harness/free-port.ts';
import { figure, scaled, timeoutMs } from '../../harness/scale.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { GATEWAYS, type Gateway, startGateway } from './gateway-process.ts';

const REQUESTS = scaled(10_000, 200);
const CONCURRENCY = 16;
const LIMIT = Math.floor(REQUESTS / 20);

let keyward: TestApp;
let api: Server;
/** Headers of the last request to the API behind the gateway, and the number of its requests. */
let seen: IncomingHttpHeaders = {};
let calls = 0;

beforeAll(async () => {
  keyward = await startTestApp({ realClock: true });
  api = createServer((incoming, response) => {
    seen = incoming.headers;
    calls++;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ id: incoming.headers['x-keyward-key-id'], url: incoming.url }));
  }).listen(0, '127.0.0.1');
  await once(api, 'listening');
});
afterAll(async () => {
  api.closeAllConnections();
  api.close();
  await keyward.close();
});

const createKey = async (body: object = {}) =>
  (await keyward.client.post('/api-keys', { name: 'Key', projectId: keyward.projectId, ...body }))
    .body;

describe.each(GATEWAYS)('%s with its recipe', (name) => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway(name, {
      keywardPort: Number(new URL(keyward.url).port),
      apiPort: (api.address() as AddressInfo).port,
      accessKey: keyward.accessKey,
    });
  });
  afterAll(() => gateway.stop());

  /** Timeouts of the gateway: on a slow machine Keyward may exceed the timeouts of a recipe. */
  let timeouts = 0;
  beforeEach(() => {
    timeouts = 0;
  });

  const call = async (
    headers: Record<string, string>,
    { path = '/hello?page=2', ...init }: RequestInit & { path?: string } = {},
  ) => {
    for (;;) {
      const response = await fetch(`${gateway.url}${path}`, { ...init, headers });
      const text = await response.text();
      if (![502, 503, 504].includes(response.status))
        return { status: response.status, headers: response.headers, text };
      timeouts++;
    }
  };
  /** The API was called for each expected request, and at most once for each timeout. */
  const expectCalls = (made: number, expected: number) => {
    expect(made).toBeGreaterThanOrEqual(expected);
    expect(made).toBeLessThanOrEqual(expected + timeouts);
  };

  it('passes the identity to the API and hides the key', async () => {
    const key = await createKey({
      customAccountId: 'acct 7',
      customUserId: 'ülf',
      customMetaData: { plan: 'gold', word: 'ß\r\nx-admin: 1' },
    });
    const credentials: Record<string, string>[] = [
      { 'x-api-key': key.key },
      { authorization: `Bearer ${key.key}` },
    ];
    for (const headers of credentials) {
      const response = await call({ ...headers, cookie: 'kept=1' });
      expect(response.status).toBe(200);
      expect(JSON.parse(response.text)).toEqual({ id: key.id, url: '/hello?page=2' });
      expect(seen).toMatchObject({
        'x-keyward-key-id': key.id,
        'x-keyward-project-id': keyward.projectId,
        'x-keyward-account-id': 'acct 7',
        'x-keyward-user-id': '%C3%BClf',
        'x-keyward-name': 'Key',
        'x-keyward-env': 'live',
        cookie: 'kept=1',
      });
      expect(JSON.parse(String(seen['x-keyward-metadata']))).toEqual({
        plan: 'gold',
        word: 'ß\r\nx-admin: 1',
      });
      expect(JSON.stringify(seen)).not.toContain(key.key);
      expect(JSON.stringify(seen)).not.toContain(keyward.accessKey);
      expect(seen).not.toHaveProperty('x-admin');
    }
  });

  it('replaces headers with our names that a user sends', async () => {
    const { key, id } = await createKey();
    const forged = {
      'x-keyward-key-id': 'key_forged',
      'x-keyward-account-id': 'forged',
      'x-keyward-user-id': 'forged',
      'x-keyward-metadata': '{"role":"forged"}',
      'x-keyward-metadata-omitted': 'forged',
      'x-keyward-access-key': 'forged',
      'x-keyward-operator': 'forged',
      'x-keyward-key': 'forged-forged',
      'x-keyward-status': '200 forged',
      'x-keyward-code': 'forged',
    };
    const before = calls;
    expect((await call({ ...forged, 'x-api-key': key })).status).toBe(200);
    expect(seen['x-keyward-key-id']).toBe(id);
    expect(JSON.stringify(seen)).not.toContain('forged');
    expect(seen['x-keyward-user-id'] ?? '').toBe('');
    expect((await call(forged)).status).toBe(401);
    expect((await call({ ...forged, 'x-keyward-key': key })).status).toBe(401);
    expectCalls(calls - before, 1);
  });

  it('refuses missing, unknown, revoked and expired keys, and keys from another domain', async () => {
    const revoked = await createKey();
    expect((await call({ 'x-api-key': revoked.key })).status).toBe(200);
    await keyward.client.delete(`/api-keys/${revoked.id}`);
    const expired = await createKey();
    const expiry = new Date(Date.now() - 1).toISOString();
    expect(
      (await keyward.client.patch(`/api-keys/${expired.id}`, { name: 'Key', expiry })).status,
    ).toBe(200);
    const bound = await createKey({ allowedDomains: ['app.example.com'] });
    const before = calls;
    const codeOf = async (headers: Record<string, string>) => {
      const response = await call(headers);
      const { statusCode, code } = JSON.parse(response.text);
      expect(statusCode).toBe(response.status);
      expect(response.headers.get('www-authenticate')).toBe(statusCode === 401 ? 'Bearer' : null);
      return [response.status, code];
    };
    expect(await codeOf({})).toEqual([401, 'key_missing']);
    expect(await codeOf({ 'x-api-key': 'never-issued' })).toEqual([401, 'key_not_found']);
    expect(await codeOf({ 'x-api-key': revoked.key })).toEqual([401, 'key_revoked']);
    expect(await codeOf({ 'x-api-key': expired.key })).toEqual([401, 'key_expired']);
    expect(await codeOf({ 'x-api-key': bound.key })).toEqual([403, 'domain_denied']);
    expect(calls).toBe(before);
    const origin = 'https://app.example.com';
    expect((await call({ 'x-api-key': bound.key, origin })).status).toBe(200);
  });

  describe('a route that requires a permission', () => {
    const codeOf = ({ status, text }: { status: number; text: string }) =>
      status === 200 ? 200 : [status, JSON.parse(text).code];
    const denied = [403, 'permission_denied'];
    const path = '/documents/7?page=2';
    let reader: Record<string, string>;
    let other: Record<string, string>;
    beforeAll(async () => {
      reader = { 'x-api-key': (await createKey({ permissions: ['documents.read'] })).key };
      other = { 'x-api-key': (await createKey({ permissions: ['reports.*'] })).key };
    });

    it('is open to keys that have it, by method', async () => {
      const writer = { 'x-api-key': (await createKey({ permissions: ['documents.*'] })).key };
      expect(codeOf(await call(reader, { path }))).toBe(200);
      expect(codeOf(await call(writer, { path, method: 'POST', body: '{}' }))).toBe(200);
      const before = calls;
      expect(codeOf(await call(other, { path }))).toEqual(denied);
      expect(codeOf(await call(other, { path: '/documents' }))).toEqual(denied);
      expect(codeOf(await call(reader, { path, method: 'POST', body: '{}' }))).toEqual(denied);
      expect(codeOf(await call(reader, { path, method: 'PROPFIND' }))).toEqual(denied);
      expect(calls).toBe(before);
      expect(codeOf(await call(other))).toBe(200);
    });

    it.each([
      ['/documents?permission=reports.read'],
      ['/documents?permission=&ip=10.0.0.1&limited=429'],
      ['/documents/?x=1%26permission%3Dreports.read'],
    ])('does not open to the query of the user: %s', async (spelling) => {
      const before = calls;
      const headers = { 'x-keyward-permission': 'reports.read', 'x-forwarded-uri': '/hello' };
      expect(codeOf(await call({ ...other, ...headers }, { path: spelling }))).toEqual(denied);
      expect(calls).toBe(before);
    });

    it('takes no requirement and no address from the headers of a user', async () => {
      const key = await createKey({ permissions: ['*'], allowedIPs: ['10.0.0.0/8'] });
      const forged = {
        'x-keyward-ip': '10.0.0.1',
        'x-forwarded-for': '10.0.0.1',
        'x-real-ip': '10.0.0.1',
        forwarded: 'for=10.0.0.1',
        'x-keyward-permission': 'documents.read',
      };
      const bound = { 'x-api-key': key.key };
      for (const headers of [bound, { ...bound, ...forged }])
        expect(codeOf(await call(headers, { path: '/hello?ip=10.0.0.1' }))).toEqual([
          403,
          'ip_denied',
        ]);
      const local = await createKey({ allowedIPs: ['127.0.0.1'] });
      expect(codeOf(await call({ 'x-api-key': local.key }))).toBe(200);
      // The header is removed, so it does not even add a requirement.
      expect(codeOf(await call({ ...other, 'x-keyward-permission': 'never.granted' }))).toBe(200);
      expect(JSON.stringify(seen)).not.toContain('never.granted');
    });
  });

  it('forwards body and method, and validates without them', async () => {
    const { key } = await createKey();
    const init = { method: 'PUT', body: 'x'.repeat(100_000) };
    expect((await call({ 'x-api-key': key }, init)).status).toBe(200);
    expect(seen['content-length']).toBe('100000');
  });

  it(`answers ${figure(REQUESTS)} requests of each kind correctly`, {
    timeout: timeoutMs,
  }, async () => {
    const valid = await createKey();
    const limited = await createKey({
      rateLimitConfigs: { rateLimit: LIMIT, rateLimitTtl: 86_400 },
    });
    const revoked = await createKey();
    await keyward.client.delete(`/api-keys/${revoked.id}`);
    const statuses = async (key: string) => {
      const counts: Record<number, number> = {};
      let left = REQUESTS;
      await Promise.all(
        Array.from({ length: CONCURRENCY }, async () => {
          while (left-- > 0) {
            const { status, headers } = await call({ 'x-api-key': key });
            if (status === 429) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
            counts[status] = (counts[status] ?? 0) + 1;
          }
        }),
      );
      return counts;
    };
    const before = calls;
    expect(await statuses(valid.key)).toEqual({ 200: REQUESTS });
    expect(await statuses('never-issued')).toEqual({ 401: REQUESTS });
    expect(await statuses(revoked.key)).toEqual({ 401: REQUESTS });
    const { 200: admitted = 0, 429: refused = 0, ...others } = await statuses(limited.key);
    expect(others).toEqual({});
    expect(admitted + refused).toBe(REQUESTS);
    // A validation that timed out at the gateway may have been counted.
    expect(admitted).toBeLessThanOrEqual(LIMIT);
    expect(admitted).toBeGreaterThanOrEqual(LIMIT - timeouts);
    expectCalls(calls - before, REQUESTS + admitted);
  });

  it('returns a server error if its own access key is rejected or Keyward is unreachable', async () => {
    const { key } = await createKey();
    const { body } = await keyward.client.post('/access-keys', { name: 'Gateway' });
    const apiPort = (api.address() as AddressInfo).port;
    const keywardPort = Number(new URL(keyward.url).port);
    const before = calls;
    const ports = [keywardPort, await freePort()];
    await keyward.client.delete(`/access-keys/${body.id}`);
    for (const port of ports) {
      const other = await startGateway(name, { keywardPort: port, apiPort, accessKey: body.key });
      const response = await fetch(`${other.url}/hello`, { headers: { 'x-api-key': key } });
      expect([502, 503]).toContain(response.status);
      await other.stop();
    }
    expect(calls).toBe(before);
  });
});
