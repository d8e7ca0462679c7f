import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMetricsServer } from '../../../src/http/metrics/metrics-server.ts';
import { startTestEdge, type TestEdge } from '../../edge/test-edge.ts';
import { sendRaw } from '../../harness/raw-http.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

let test: TestApp;
let edge: TestEdge;
let key: string;

beforeAll(async () => {
  test = await startTestApp({ realClock: true });
  key = (await test.client.post('/api-keys', { name: 'Key' })).body.key;
  edge = await startTestEdge({ upstreamUrl: test.url, accessKey: test.accessKey });
  await edge.started;
});
afterAll(async () => {
  await edge.stop();
  await test.close();
});

const END = 'Host: x\r\nConnection: close\r\n';

const request = (line: string, headers = '', body = '') =>
  `${line} HTTP/1.1\r\n${END}${headers}${body && `Content-Length: ${body.length}\r\n`}\r\n${body}`;

const credential = () => `x-api-key: ${test.accessKey}\r\nContent-Type: application/json\r\n`;

/** Read by the hot path, because `Connection: close` would be read by Node's parser. */
const validation = (body: object) => {
  const text = JSON.stringify(body);
  const head = `POST /api-keys/auth HTTP/1.1\r\nHost: x\r\n${credential()}`;
  return `${head}Content-Length: ${text.length}\r\n\r\n${text}`;
};

const BOTH: Readonly<Record<string, () => string>> = {
  'a valid key': () => validation({ key }),
  'an unknown key': () => validation({ key: 'unknown' }),
  'a batch': () => validation({ keys: [key, 'unknown'] }),
  'a valid key, on a connection that closes': () =>
    request('POST /api-keys/auth', credential(), JSON.stringify({ key })),
  'the path form': () => request(`GET /api-keys/auth/${key}`, credential()),
  'a gateway': () =>
    request(
      'GET /gateway/verify',
      `x-keyward-access-key: ${test.accessKey}\r\nx-keyward-key: ${key}\r\n`,
    ),
  'no access key': () => request('POST /api-keys/auth', '', '{}'),
  'an unknown path': () => request('GET /nowhere'),
  'a probe': () => request('GET /healthz'),
  'a HEAD request': () => request('HEAD /readyz'),
  'an unreadable request': () => 'nonsense\r\n\r\n',
  'a header that is too large': () => request('GET /', `x-long: ${'x'.repeat(20_000)}\r\n`),
  'two Host headers': () => request('GET /', 'Host: y\r\n'),
  'an unknown expectation': () => request('GET /healthz', 'Expect: nothing\r\n'),
};

const SERVER: Readonly<Record<string, () => string>> = {
  'a record': () => request('GET /accounts', credential()),
  'a list': () => request('GET /api-keys?limit=1', credential()),
  'a list as CSV': () => request('GET /audit-logs', `${credential()}Accept: text/csv\r\n`),
  'an invalid body': () => request('POST /projects', credential(), '{"name'),
  'a body of another type': () =>
    request('POST /projects', `x-api-key: ${test.accessKey}\r\nContent-Type: a/b\r\n`, 'text'),
  'a wrong method': () => request('PUT /accounts', credential()),
  OPTIONS: () => request('OPTIONS /accounts'),
  'a preflight': () =>
    request(
      'OPTIONS /portal/session',
      'Origin: https://a.example\r\nAccess-Control-Request-Method: GET\r\n',
    ),
  'an invalid URL': () => request('GET /api-keys/%zz', credential()),
  'a redirect to the dashboard': () => request('GET /', 'Accept: text/html\r\n'),
  'the dashboard': () => request('GET /dashboard/'),
  'the documentation': () => request('GET /docs/'),
  'the API description': () => request('GET /openapi.json'),
  'the API reference': () => request('GET /docs/api/'),
  'a page that does not exist': () => request('GET /docs/nothing-here'),
};

/** Asserts that the header was sent once, and returns the status. */
async function statusOf(url: string, text: string): Promise<number> {
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  await once(socket, 'connect');
  socket.setEncoding('latin1').write(text);
  let received = '';
  for await (const chunk of socket) {
    received += chunk;
    const [head = '', body] = received.split('\r\n\r\n', 2);
    if (body === undefined) continue;
    socket.destroy();
    const sent = head.match(/^x-content-type-options: nosniff$/gim);
    expect(sent, head).toHaveLength(1);
    return Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
  }
  throw new Error(`no response to ${text}`);
}

describe('every response has X-Content-Type-Options: nosniff', () => {
  it.each(Object.keys(BOTH))('of the server and of the edge: %s', async (name) => {
    const ofServer = await statusOf(test.url, BOTH[name]!());
    expect(await statusOf(edge.address, BOTH[name]!())).toBe(ofServer);
  });

  it.each(Object.keys(SERVER))('of the server: %s', async (name) => {
    expect(await statusOf(test.url, SERVER[name]!())).toBeGreaterThanOrEqual(200);
  });

  it('of a stream of changes', async () => {
    expect(await statusOf(test.url, request('GET /changes', credential()))).toBe(200);
  });

  it('of a request that the edge forwards', async () => {
    const limits = [{ name: 'burst', rateLimit: 1, rateLimitTtl: 60, algorithm: 'sliding' }];
    const { body } = await test.client.post('/api-keys', { name: 'Limited', limits });
    for (const expected of [200, 429])
      expect(await statusOf(edge.address, validation({ key: body.key }))).toBe(expected);
  });

  it('of the metrics, and of requests that they do not answer', async () => {
    const server = createMetricsServer(test.app.metrics).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await statusOf(url, request('GET /metrics'))).toBe(200);
    expect(await statusOf(url, request('GET /'))).toBe(404);
    expect(await statusOf(url, 'nonsense\r\n\r\n')).toBe(400);
    expect(await statusOf(url, `GET / HTTP/1.1\r\nx: ${'x'.repeat(70_000)}\r\n\r\n`)).toBe(431);
    server.close();
  });
});

describe('the port of the metrics', () => {
  it('closes a connection that does not complete its headers within 10 seconds', async () => {
    const server = createMetricsServer(test.app.metrics).listen(0, '127.0.0.1');
    await once(server, 'listening');
    // Node checks connections at this interval, and closes those that are older than the timeout.
    expect(server.headersTimeout).toBe(10_000);
    expect(server.requestTimeout).toBe(10_000);
    server.headersTimeout = 1;
    server.requestTimeout = 1;
    const { port } = server.address() as AddressInfo;
    const [response] = await sendRaw(`http://127.0.0.1:${port}`, 'GET /metrics HTTP/1.1\r\nHo');
    expect(response!.status).toBe(408);
    server.close();
  });

  it('bounds the number of connections', async () => {
    const server = createMetricsServer(test.app.metrics).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const sockets = Array.from({ length: server.maxConnections }, () => connect(port, '127.0.0.1'));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    const surplus = connect(port, '127.0.0.1');
    surplus.on('error', () => {});
    await once(surplus, 'close');
    sockets[0]!.destroy();
    await once(sockets[0]!, 'close');
    for (const socket of sockets) socket.destroy();
    server.close();
  });
});
