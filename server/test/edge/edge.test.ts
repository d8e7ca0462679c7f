import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { listen } from '../../src/edge/serve.ts';
import { readEdgeSettings } from '../../src/edge/settings.ts';
import { TcpProxy } from '../harness/tcp-proxy.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { exchange, startTestEdge, type TestEdge } from './test-edge.ts';

let test: TestApp;
let edge: TestEdge;
beforeAll(async () => {
  test = await startTestApp({ realClock: true });
  edge = await startTestEdge({ upstreamUrl: test.url, accessKey: test.accessKey });
  await edge.started;
});
afterAll(async () => {
  await edge.stop();
  await test.close();
});

const create = async (fields: object = {}): Promise<{ key: string; id: string }> =>
  (await test.client.post('/api-keys', { name: 'Key', ...fields })).body;

const validate = (address: string, key: string, accessKey: string | null = test.accessKey) =>
  exchange(address, {
    path: '/api-keys/auth',
    headers: accessKey === null ? {} : { 'x-api-key': accessKey },
    body: JSON.stringify({ key }),
  });

/** Validates until the edge knows the key: it must not cache what it read while a change arrived. */
const cache = ({ address, callers }: TestEdge, key: string) =>
  expect
    .poll(async () => {
      await validate(address, key);
      return callers.own.decider.peek(key);
    })
    .toBeDefined();

const get = (address: string, path: string) => exchange(address, { method: 'GET', path });

const codeOf = ({ body }: { body: string }): string => JSON.parse(body).code;

/** An edge of its own for one test, behind a link that the test can cut. */
async function edgeBehindLink(parts: { staleMs?: number | null } = {}) {
  const link = await TcpProxy.to('127.0.0.1', Number(new URL(test.url).port));
  const own = await startTestEdge({
    upstreamUrl: `http://127.0.0.1:${link.port}`,
    accessKey: test.accessKey,
    ...parts,
  });
  onTestFinished(async () => {
    await own.stop();
    await link.close();
  });
  await own.started;
  return { link, own };
}

describe('an edge', () => {
  it.each([
    ['GET', '/api-keys'],
    ['POST', '/api-keys'],
    ['GET', '/api-keys/auth'],
    ['PATCH', '/api-keys/auth/x'],
    ['POST', '/api-keys/auth/x/y'],
    ['GET', '/'],
    ['GET', '/dashboard/'],
    ['POST', '/healthz'],
  ])('does nothing but validate: %s %s', async (method, path) => {
    const answer = await exchange(edge.address, {
      method,
      path,
      headers: { 'x-api-key': test.accessKey },
    });
    expect([answer.status, codeOf(answer)]).toEqual([404, 'edge_only_validates']);
  });

  it('gives no leases', async () => {
    const { key } = await create();
    const answer = await exchange(edge.address, {
      path: '/api-keys/auth',
      headers: { 'x-api-key': test.accessKey },
      body: JSON.stringify({ key, lease: 5, policies: true }),
    });
    expect([answer.status, codeOf(answer)]).toEqual([400, 'invalid_body']);
  });

  it('reports the uses that it decided', async () => {
    const { key, id } = await create({ permissions: ['a.b'] });
    for (let n = 0; n < 5; n++) expect((await validate(edge.address, key)).status).toBe(200);
    await exchange(edge.address, {
      path: '/api-keys/auth',
      headers: { 'x-api-key': test.accessKey },
      body: JSON.stringify({ key, permissions: 'c.d', cost: 3 }),
    });
    await expect
      .poll(async () => {
        await test.app.tally.flush();
        const query = `groupBy=outcome&interval=day&key=${id}`;
        const { body } = await test.client.get(`/analytics/usage?${query}`);
        return Object.fromEntries(
          body.map(({ group, total }: { group: string; total: number }) => [group, total]),
        );
      })
      .toMatchObject({ valid: 5, permission_denied: 1 });
    const { body: refusals } = await test.client.get(`/refusals?key=${id}`);
    expect(refusals).toMatchObject([{ code: 'permission_denied', missing: ['c.d'], cost: 3 }]);
  });

  it('follows a revocation and a reactivation', async () => {
    const { key, id } = await create();
    expect((await validate(edge.address, key)).status).toBe(200);
    await test.client.delete(`/api-keys/${id}`);
    await expect.poll(async () => (await validate(edge.address, key)).status).toBe(404);
    await test.client.patch(`/api-keys/${id}/reactivate`);
    expect((await validate(edge.address, key)).status).toBe(200);
  });

  it('does not ask the server about a key that it knows', async () => {
    const { key } = await create();
    await cache(edge, key);
    test.app.validations.handle = () => {
      throw new Error('The server was asked.');
    };
    onTestFinished(() => {
      Reflect.deleteProperty(test.app.validations, 'handle');
    });
    for (let n = 0; n < 20; n++) expect((await validate(edge.address, key)).status).toBe(200);
    const { body } = await exchange(edge.address, {
      path: '/api-keys/auth',
      headers: { 'x-api-key': test.accessKey },
      body: JSON.stringify({ keys: Array(200).fill(key) }),
    });
    expect(JSON.parse(body)).toHaveLength(200);
  });

  it('logs no error for a client that disconnects while it sends a body', async () => {
    const { key } = await create();
    const { hostname, port } = new URL(edge.address);
    const socket = connect(Number(port), hostname);
    const head = `POST /api-keys/auth HTTP/1.1\r\nhost: a\r\nx-api-key: ${test.accessKey}\r\n`;
    const received = once(edge.server, 'request');
    socket.write(
      `${head}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"key`,
    );
    const [request] = (await received) as [IncomingMessage];
    // Now the edge waits for the rest of the body.
    await expect.poll(() => request.readableDidRead).toBe(true);
    socket.resetAndDestroy();
    await new Promise((resolve) => request.once('close', resolve));
    expect((await validate(edge.address, key)).status).toBe(200);
    expect(edge.log.filter((line) => line.includes('unexpected'))).toEqual([]);
  });

  it('is alive, ready, and has metrics', async () => {
    expect(await get(edge.address, '/healthz')).toMatchObject({
      status: 200,
      body: '{"status":"ok"}',
    });
    expect(await get(edge.address, '/readyz')).toMatchObject({ status: 200 });
    const { body } = await get(edge.address, '/metrics');
    expect(body).toMatch(/^keyward_validations_total\{outcome="valid"\} [1-9]/m);
    expect(body).toMatch(/^keyward_edge_callers [1-9]/m);
  });
});

describe('callers', () => {
  it('are 16 at most; more get a 503 that says so', async () => {
    const { own } = await edgeBehindLink();
    const { key } = await create();
    const keys: string[] = [];
    for (let n = 0; n < 16; n++)
      keys.push((await test.client.post('/access-keys', { name: `${n}` })).body.key);
    const answers = [];
    for (const accessKey of keys) answers.push(await validate(own.address, key, accessKey));
    // The edge's own access key is the first.
    expect(answers.map(({ status }) => status)).toEqual([...Array(15).fill(200), 503]);
    expect(codeOf(answers[15]!)).toBe('overloaded');
    expect(answers[15]!.body).toContain('16 access keys');
    expect((await validate(own.address, key, keys[0])).status).toBe(200);
  });

  it('are dropped when the server refuses their access key', async () => {
    const { link, own } = await edgeBehindLink();
    const { key } = await create();
    const { body: other } = await test.client.post('/access-keys', { name: 'Other' });
    expect((await validate(own.address, key, other.key)).status).toBe(200);
    expect(own.callers.all).toHaveLength(2);
    await test.client.delete(`/access-keys/${other.id}`);
    link.cutOnce();
    await expect.poll(() => own.callers.all).toEqual([own.callers.own]);
  });

  it('are dropped when they are idle', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const { own } = await edgeBehindLink();
    const { key } = await create();
    const { body: other } = await test.client.post('/access-keys', { name: 'Other' });
    expect((await validate(own.address, key, other.key)).status).toBe(200);
    vi.advanceTimersByTime(60_000);
    expect(own.callers.all).toHaveLength(2);
    for (const caller of own.callers.all) caller.usedAt = Number.NEGATIVE_INFINITY;
    vi.advanceTimersByTime(60_000);
    expect(own.callers.all).toEqual([own.callers.own]);
  });

  it('need no access key on a Unix socket with --trust', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'keyward-edge-'));
    const start = (isTrusting: boolean) => {
      const path = join(folder, `${isTrusting}.sock`);
      const parts = { upstreamUrl: test.url, accessKey: test.accessKey, isTrusting };
      return startTestEdge(parts, { path });
    };
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const { key } = await create();
    const trusting = await start(true);
    const path = trusting.address;
    expect((await validate(path, key, null)).status).toBe(200);
    expect((await validate(path, key, 'unknown-access-key')).status).toBe(401);
    // An access key in a header of the gateway's client is ignored: the edge uses its own.
    const gateway = { method: 'GET', path: '/gateway/verify' };
    const sent = { 'x-keyward-key': key, 'x-keyward-access-key': 'of-the-client' };
    expect((await exchange(path, { ...gateway, headers: sent })).status).toBe(200);
    await trusting.stop();
    const other = await start(false);
    expect((await validate(other.address, key, null)).status).toBe(401);
    await other.stop();
    expect(existsSync(other.address)).toBe(false);
  });
});

it('a gateway gets a 503 for an error about the access key of the edge, if it requests that', async () => {
  const { body: accessKey } = await test.client.post('/access-keys', { name: 'Edge' });
  const own = await startTestEdge({
    upstreamUrl: test.url,
    accessKey: accessKey.key,
    isTrusting: true,
    staleMs: 600_000,
  });
  onTestFinished(() => own.stop());
  await own.started;
  const verify = async (headers: Record<string, string>) => {
    const { key } = await create();
    const sent = { 'x-keyward-key': key, ...headers };
    return exchange(own.address, { method: 'GET', path: '/gateway/verify', headers: sent });
  };
  const hidden = { 'x-keyward-own-errors': '503' };
  expect((await verify(hidden)).status).toBe(200);
  await test.client.delete(`/access-keys/${accessKey.id}`);
  expect(await verify({})).toMatchObject({ status: 401 });
  const answer = await verify(hidden);
  expect([answer.status, codeOf(answer)]).toEqual([503, 'keyward_unavailable']);
  expect(answer.body).not.toContain('access key');
});

it.each([
  [0o022, 0o755],
  [0o007, 0o770],
])('with the umask %o, a Unix socket has the mode %o', async (umask, mode) => {
  const folder = mkdtempSync(join(tmpdir(), 'keyward-edge-'));
  const server = createServer();
  const before = process.umask(umask);
  onTestFinished(async () => {
    process.umask(before);
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true });
  });
  const path = join(folder, 'edge.sock');
  await listen(server, { path });
  // To connect, a user needs the right to write.
  expect(statSync(path).mode & 0o777).toBe(mode);
});

it('a file at the path of the Unix socket is kept, and the start fails', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'keyward-edge-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'notes.txt');
  writeFileSync(path, 'text');
  for (const taken of [path, folder])
    await expect(listen(createServer(), { path: taken })).rejects.toThrow('is not a socket');
  expect(readFileSync(path, 'utf8')).toBe('text');
});

describe('while the server is unreachable', () => {
  it('every request gets a 503, and the edge is not ready', async () => {
    const { link, own } = await edgeBehindLink();
    const { key } = await create();
    expect((await validate(own.address, key)).status).toBe(200);
    link.cut();
    await expect.poll(async () => (await validate(own.address, key)).status).toBe(503);
    const answer = await validate(own.address, key);
    expect(codeOf(answer)).toBe('keyward_unavailable');
    expect(answer.headers['retry-after']).toBe('1');
    expect(codeOf(await get(own.address, '/readyz'))).toBe('keyward_unavailable');
    expect((await get(own.address, '/healthz')).status).toBe(200);
    link.forward();
    await expect.poll(async () => (await validate(own.address, key)).status).toBe(200);
    await expect.poll(async () => (await get(own.address, '/readyz')).status).toBe(200);
  });

  it('a batch that may be too large for a response gets a 503', async () => {
    const { link, own } = await edgeBehindLink();
    const { id } = await create({ customMetaData: { text: 'x'.repeat(16_000) } });
    // A short value, so that a thousand fit into the request.
    const short = `l${id.slice(-12)}`;
    await test.client.patch(`/api-keys/${id}`, { name: 'Key', key: short });
    expect((await validate(own.address, short)).status).toBe(200);
    link.cut();
    const answer = await exchange(own.address, {
      path: '/api-keys/auth',
      headers: { 'x-api-key': test.accessKey },
      body: JSON.stringify({ keys: Array(1_000).fill(short) }),
    });
    expect([answer.status, codeOf(answer)]).toEqual([503, 'keyward_unavailable']);
  });

  it('a batch that gets a 503 has counted nothing', async () => {
    const { link, own } = await edgeBehindLink();
    const [unknown, plain] = [await create(), await create()];
    const limited = await create({ rateLimitConfigs: { rateLimit: 1_000, rateLimitTtl: 3_600 } });
    await cache(own, plain.key);
    await cache(own, limited.key);
    const decide = vi.spyOn(own.callers.own.decider, 'decide');
    link.cut();
    const answer = await exchange(own.address, {
      path: '/api-keys/auth',
      headers: { 'x-api-key': test.accessKey },
      body: JSON.stringify({ keys: [plain.key, limited.key, unknown.key] }),
    });
    expect(answer.status).toBe(503);
    expect(decide).toHaveBeenCalled();
    for (const { value } of decide.mock.results) expect(await value).toBe('ask');
  });

  it('with serve-known, the edge serves the keys that it knows', async () => {
    const { link, own } = await edgeBehindLink({ staleMs: 600_000 });
    const [known, unknown] = [await create(), await create()];
    const limited = await create({ rateLimitConfigs: { rateLimit: 100, rateLimitTtl: 3_600 } });
    await cache(own, known.key);
    await cache(own, limited.key);
    link.cut();
    await expect.poll(() => own.callers.own.decider.isFresh).toBe(false);
    expect((await validate(own.address, unknown.key)).status).toBe(503);
    // The lease of one request is used up.
    expect((await validate(own.address, limited.key)).status).toBe(503);
    expect((await validate(own.address, known.key)).status).toBe(200);
  });

  it('with serve-known, a batch of known keys is served, and a batch that gets a 503 has counted nothing', async () => {
    const { link, own } = await edgeBehindLink({ staleMs: 600_000 });
    const plain = await create({ permissions: ['a.b'] });
    const limited = await create({ rateLimitConfigs: { rateLimit: 100, rateLimitTtl: 3_600 } });
    const unknown = await create();
    await cache(own, plain.key);
    await cache(own, limited.key);
    link.cut();
    await expect.poll(() => own.callers.own.decider.isFresh).toBe(false);
    const validateAll = (...keys: { key: string }[]) =>
      exchange(own.address, {
        path: '/api-keys/auth',
        headers: { 'x-api-key': test.accessKey },
        body: JSON.stringify({ keys: keys.map(({ key }) => key), permissions: 'a.b' }),
      });
    const decideStale = vi.spyOn(own.callers.own.decider, 'decideStale');
    expect((await validateAll(plain, limited, unknown)).status).toBe(503);
    expect(decideStale.mock.results.map(({ value }) => value)).toEqual(['ask']);
    const { body } = await validateAll(plain, limited);
    const expected = [{ record: { id: plain.id } }, { code: 'permission_denied' }];
    expect(JSON.parse(body)).toMatchObject(expected);
  });

  it('with serve-known, known keys are served only until they are too old', async () => {
    const { link, own } = await edgeBehindLink({ staleMs: 4_000 });
    const known = await create();
    expect((await validate(own.address, known.key)).status).toBe(200);
    link.cut();
    const cutAt = performance.now();
    let servedUntil = performance.now();
    await expect
      .poll(async () => {
        const startedAt = performance.now();
        const { status } = await validate(own.address, known.key);
        if (status === 200) servedUntil = startedAt;
        return status;
      })
      .toBe(503);
    expect(servedUntil - cutAt).toBeLessThan(4_000);
  });
});

describe('settings', () => {
  const read = (options: object, env: NodeJS.ProcessEnv = {}) =>
    readEdgeSettings(
      { upstream: 'https://keys.example.com/', 'access-key': 'live_access_x', ...options },
      env,
    );

  it('have defaults', () => {
    expect(read({})).toEqual({
      upstreamUrl: 'https://keys.example.com',
      accessKey: 'live_access_x',
      timeoutMs: 1_000,
      listen: { host: '127.0.0.1', port: 8090 },
      processes: 1,
      isTrusting: false,
      staleMs: null,
      drainMs: 3_000,
      trustedProxies: [],
      clientIPHeader: null,
      logLevel: 'info',
    });
    expect(read({ 'drain-seconds': '0' }, { KEYWARD_DRAIN_SECONDS: '5' }).drainMs).toBe(0);
    const ofGateways = {
      'client-ip-header': 'X-Forwarded-For',
      'trusted-proxies': '10.0.0.0/8, ::1',
    };
    expect(read(ofGateways)).toMatchObject({
      clientIPHeader: 'X-Forwarded-For',
      trustedProxies: ['10.0.0.0/8', '::1'],
    });
    expect(read({ 'on-unavailable': 'serve-known' }, { KEYWARD_STALE_SECONDS: '5' }).staleMs).toBe(
      5_000,
    );
    expect(read({}, { KEYWARD_UPSTREAM_TIMEOUT_SECONDS: '5' }).timeoutMs).toBe(5_000);
    expect(read({ listen: './edge.sock', trust: true }).listen).toEqual({ path: './edge.sock' });
    expect(read({ listen: '[::1]:80', trust: true }).listen).toEqual({ host: '::1', port: 80 });
  });

  it.each<[object, RegExp]>([
    [{ upstream: undefined }, /KEYWARD_UPSTREAM_URL/],
    [{ upstream: 'keys.example.com' }, /KEYWARD_UPSTREAM_URL/],
    [{ 'access-key': undefined }, /KEYWARD_ACCESS_KEY/],
    [{ 'access-key': 'a b' }, /KEYWARD_ACCESS_KEY/],
    [{ 'client-ip-header': 'X-Real-IP' }, /requires KEYWARD_TRUSTED_PROXIES/],
    [{ 'client-ip-header': 'a b', 'trusted-proxies': '::1' }, /KEYWARD_CLIENT_IP_HEADER/],
    [{ 'trusted-proxies': 'localhost' }, /KEYWARD_TRUSTED_PROXIES: "localhost"/],
    [{ 'timeout-seconds': '301' }, /KEYWARD_UPSTREAM_TIMEOUT_SECONDS/],
    [{ listen: '8090' }, /--listen/],
    [{ listen: 'host:99999' }, /--listen/],
    [{ processes: '0' }, /--processes/],
    [{ processes: '2', listen: '/run/edge.sock' }, /--processes/],
    [{ processes: '2', listen: '127.0.0.1:0' }, /--processes/],
    [{ trust: true, listen: '0.0.0.0:8090' }, /--trust/],
    [{ 'on-unavailable': 'allow' }, /--on-unavailable/],
    [{ 'stale-seconds': '1.5' }, /KEYWARD_STALE_SECONDS/],
  ])('that are wrong are named: %j', (options, message) => {
    expect(() => read(options)).toThrow(message);
  });
});
