// 7 s of CPU: servers and edges that are stopped, stalled and started again.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { BOOTSTRAP_KEY, startServer } from '../harness/child-server.ts';
import { freePort } from '../harness/free-port.ts';
import { TcpProxy } from '../harness/tcp-proxy.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { exchange, startTestEdge, type TestEdge } from './test-edge.ts';

/** For tests of a server that does not respond. */
const SHORT = { timeoutMs: 2_000 };

async function start(options: Parameters<typeof startTestApp>[0] = { realClock: true }) {
  const test = await startTestApp(options);
  onTestFinished(() => test.close());
  return test;
}

async function startEdgeOf(
  test: TestApp,
  upstreamUrl = test.url,
  parts: { timeoutMs?: number } = {},
): Promise<TestEdge> {
  const edge = await startTestEdge({ upstreamUrl, accessKey: test.accessKey, ...parts });
  onTestFinished(() => edge.stop());
  await edge.started;
  return edge;
}

const create = async (test: TestApp, fields: object = {}): Promise<{ key: string; id: string }> =>
  (await test.client.post('/api-keys', { name: 'Key', ...fields })).body;

const validate = (test: TestApp, edge: TestEdge, key: string) =>
  exchange(edge.address, {
    path: '/api-keys/auth',
    headers: { 'x-api-key': test.accessKey },
    body: JSON.stringify({ key }),
  });

describe('a server', () => {
  it('that does not reply: the edge responds, first from memory, then with 503', async () => {
    const test = await start();
    const link = await TcpProxy.to('127.0.0.1', Number(new URL(test.url).port));
    onTestFinished(() => link.close());
    const edge = await startEdgeOf(test, `http://127.0.0.1:${link.port}`, SHORT);
    const { key } = await create(test);
    await expect.poll(async () => (await validate(test, edge, key)).status).toBe(200);
    link.freeze();
    const statuses = new Set<number>();
    await expect
      .poll(async () => {
        const { status } = await validate(test, edge, key);
        statuses.add(status);
        return status;
      })
      .toBe(503);
    expect([...statuses].filter((status) => status !== 200)).toEqual([503]);
    link.forward();
    await expect.poll(async () => (await validate(test, edge, key)).status).toBe(200);
  });

  it('whose streams are cut: the edge reconnects and misses no revocation', async () => {
    const test = await start();
    const link = await TcpProxy.to('127.0.0.1', Number(new URL(test.url).port));
    onTestFinished(() => link.close());
    const edge = await startEdgeOf(test, `http://127.0.0.1:${link.port}`);
    for (let round = 0; round < 5; round++) {
      const { key, id } = await create(test);
      expect((await validate(test, edge, key)).status).toBe(200);
      link.cutOnce();
      await test.client.delete(`/api-keys/${id}`);
      await expect.poll(async () => (await validate(test, edge, key)).status).not.toBe(200);
      await expect.poll(async () => (await validate(test, edge, key)).status).toBe(404);
    }
  });
});

it('a server that restarts: the edge serves again, and knows what was revoked', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'keyward-edge-'));
  const port = String(await freePort());
  const env = { PORT: port, KEYWARD_BOOTSTRAP_ACCESS_KEY: BOOTSTRAP_KEY };
  const first = await startServer({ dataDir, env });
  let server = first;
  const edge = await startTestEdge({ upstreamUrl: first.url, accessKey: BOOTSTRAP_KEY });
  onTestFinished(async () => {
    await edge.stop();
    await server.end('SIGKILL');
    rmSync(dataDir, { recursive: true });
  });
  await edge.started;
  const headers = { 'x-api-key': BOOTSTRAP_KEY };
  const send = async (address: string, method: string, path: string, body?: object) => {
    const text = body && JSON.stringify(body);
    const request = { method, path, headers, ...(text !== undefined && { body: text }) };
    return exchange(address, request);
  };
  const add = async () =>
    JSON.parse((await send(first.url, 'POST', '/api-keys', { name: 'Key' })).body);
  const [kept, revoked] = [await add(), await add()];
  const status = async ({ key }: { key: string }) =>
    (await send(edge.address, 'POST', '/api-keys/auth', { key })).status;
  expect([await status(kept), await status(revoked)]).toEqual([200, 200]);
  await server.end('SIGKILL');
  await expect.poll(() => status(kept)).toBe(503);
  server = await startServer({ dataDir, env });
  await send(server.url, 'DELETE', `/api-keys/${revoked.id}`);
  await expect.poll(() => status(kept)).toBe(200);
  await expect.poll(() => status(revoked)).toBe(404);
  await expect.poll(() => edge.callers.own.decider.isFresh).toBe(true);
  expect([await status(kept), await status(revoked)]).toEqual([200, 404]);
});

it('a server whose connections stall and go on later: a revoked key is refused within a second', async () => {
  const test = await start();
  const link = await TcpProxy.to('127.0.0.1', Number(new URL(test.url).port));
  onTestFinished(() => link.close());
  const edge = await startEdgeOf(test, `http://127.0.0.1:${link.port}`, SHORT);
  const { key, id } = await create(test);
  await expect.poll(async () => (await validate(test, edge, key)).status).toBe(200);
  // The stream and every response stall, and go on later, as on a congested network.
  link.freeze();
  await test.client.delete(`/api-keys/${id}`);
  const revokedAt = performance.now();
  let acceptedAt = revokedAt;
  await expect
    .poll(async () => {
      const startedAt = performance.now();
      const { status } = await validate(test, edge, key);
      if (status === 200) acceptedAt = startedAt;
      return status;
    })
    .toBe(503);
  expect(acceptedAt - revokedAt).toBeLessThanOrEqual(1_000);
  link.thaw();
  await expect.poll(async () => (await validate(test, edge, key)).status).toBe(404);
});

it('after the machine slept, a key that has expired meanwhile is refused', async () => {
  const test = await start({ startAt: Date.now() });
  const edge = await startEdgeOf(test);
  const hour = 3_600_000;
  const { key } = await create(test, { expiry: new Date(Date.now() + hour).toISOString() });
  await expect
    .poll(async () => {
      await validate(test, edge, key);
      return edge.callers.own.decider.peek(key);
    })
    .toBeDefined();
  const { now } = Date;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + 2 * hour);
  test.clock.now += 2 * hour;
  onTestFinished(() => clock.mockRestore());
  await expect.poll(async () => (await validate(test, edge, key)).status).toBe(404);
  await expect.poll(() => edge.callers.own.decider.isFresh).toBe(true);
  expect((await validate(test, edge, key)).status).toBe(404);
});

describe.each([5, -5])('a server whose clock differs by %i minutes', (minutes) => {
  it('decides expiry and the reset of limits', async () => {
    const startAt = Date.now() + minutes * 60_000;
    const test = await start({ startAt });
    const edge = await startEdgeOf(test);
    const at = (seconds: number) => new Date(startAt + seconds * 1000).toISOString();
    const valid = await create(test, { expiry: at(120) });
    const expired = await create(test, { expiry: at(60) });
    await test.client.patch(`/api-keys/${expired.id}`, { name: 'Key', expiry: at(-1) });
    for (let n = 0; n < 2; n++) {
      expect((await validate(test, edge, valid.key)).status).toBe(200);
      expect((await validate(test, edge, expired.key)).status).toBe(404);
    }
    const rateLimitConfigs = { rateLimit: 40, rateLimitTtl: 60 };
    const limited = await create(test, { rateLimitConfigs });
    for (let n = 0; n < 5; n++) {
      const { status, headers } = await validate(test, edge, limited.key);
      expect(status).toBe(200);
      expect(headers['ratelimit-reset']).toBe(String(Math.ceil(startAt / 1000 + 60)));
      expect(Number(headers['retry-after-seconds'])).toBeLessThanOrEqual(60);
      expect(Number(headers['retry-after-seconds'])).toBeGreaterThan(0);
    }
  });
});

/** An older server: it rejects some requests, or leaves fields out of responses. */
async function olderServer(
  test: TestApp,
  {
    rejects = () => false,
    change = (reply) => reply,
  }: {
    readonly rejects?: (body: string) => boolean;
    readonly change?: (reply: string) => string;
  },
) {
  const proxy = createServer(async (request, response) => {
    const body = await text(request);
    if (rejects(body)) {
      const refusal = { statusCode: 400, code: 'invalid_body', message: 'Unknown field.' };
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(refusal));
      return;
    }
    const reply = await new Promise<IncomingMessage>((resolve, reject) => {
      const { method = '', url = '', headers } = request;
      const { hostname, port } = new URL(test.url);
      const sent = send({ hostname, port, method, path: url, headers });
      sent.on('response', resolve).on('error', reject).end(body);
    });
    if (request.url === '/changes') {
      response.writeHead(reply.statusCode!, reply.headers);
      reply.pipe(response);
      response.on('close', () => reply.destroy());
      return;
    }
    const { 'content-length': _, 'transfer-encoding': __, ...headers } = reply.headers;
    response.writeHead(reply.statusCode!, headers).end(change(await text(reply)));
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

it('a server that is down when the edge starts: errors name its public URL once it is up', async () => {
  const test = await start();
  const link = await TcpProxy.to('127.0.0.1', Number(new URL(test.url).port));
  onTestFinished(() => link.close());
  link.cut();
  const { accessKey } = test;
  const edge = await startTestEdge({ upstreamUrl: `http://127.0.0.1:${link.port}`, accessKey });
  onTestFinished(() => edge.stop());
  const codeAndLink = async () => {
    const request = { path: '/api-keys/auth/no%00key', headers: { 'x-api-key': accessKey } };
    const { code, docs } = JSON.parse((await exchange(edge.address, request)).body);
    return [code, docs];
  };
  expect((await codeAndLink())[0]).toBe('keyward_unavailable');
  link.forward();
  await edge.started;
  expect(await codeAndLink()).toEqual([
    'key_malformed',
    'https://keyward.example/docs/errors/key_malformed',
  ]);
});

describe('an older server', () => {
  it('that rejects requests for leases validates every key itself', async () => {
    const test = await start();
    const url = await olderServer(test, { rejects: (body) => body.includes('"lease"') });
    const edge = await startEdgeOf(test, url);
    const { key } = await create(test, { rateLimitConfigs: { rateLimit: 2, rateLimitTtl: 3_600 } });
    const statuses = [];
    for (let n = 0; n < 3; n++) statuses.push((await validate(test, edge, key)).status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  it('may leave links out of errors, and newer fields out of leases', async () => {
    const test = await start();
    const url = await olderServer(test, {
      change: (reply) =>
        reply
          .replaceAll(/"docs":"[^"]*",/g, '')
          .replace(/"lease":null,"now":\d+,/, '"lease":null,'),
    });
    const edge = await startEdgeOf(test, url);
    const { key, id } = await create(test);
    for (let n = 0; n < 3; n++) expect((await validate(test, edge, key)).status).toBe(200);
    await test.client.delete(`/api-keys/${id}`);
    await expect.poll(async () => (await validate(test, edge, key)).status).toBe(404);
    expect(JSON.parse((await validate(test, edge, key)).body).code).toBe('key_revoked');
  });
});
