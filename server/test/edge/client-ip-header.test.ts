import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendRaw } from '../harness/raw-http.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { startTestEdge, type TestEdge } from './test-edge.ts';

const NAME = 'X-Forwarded-For';
/** The tests connect from 127.0.0.1; as IPv4-mapped, also this range contains it. */
const TRUSTED = ['10.9.0.0/16', '::ffff:127.0.0.0/104'];
const ELSEWHERE = ['10.9.0.0/16', 'fd00::/8'];

let test: TestApp;
let untrusting: TestApp;
let off: TestApp;
let edge: TestEdge;
let untrustingEdge: TestEdge;
/** An edge that never knows the changes, so that it asks the server about each key. */
let askingEdge: TestEdge;
let withoutChanges: Server;
let key: string;
let offKey: string;

beforeAll(async () => {
  const start = (options: object) => startTestApp({ realClock: true, ...options });
  test = await start({ clientIPHeader: NAME, trustedProxies: TRUSTED });
  untrusting = await start({ clientIPHeader: NAME, trustedProxies: ELSEWHERE });
  off = await start({ trustedProxies: TRUSTED });
  key = await createKey(test);
  offKey = await createKey(off);
  // The server behind the edge reads no header, so that only the edge can have read it.
  const parts = { upstreamUrl: off.url, accessKey: off.accessKey, clientIPHeader: NAME };
  edge = await startTestEdge({ ...parts, trustedProxies: TRUSTED });
  untrustingEdge = await startTestEdge({ ...parts, trustedProxies: ELSEWHERE });
  withoutChanges = await serverWithoutChanges(off.url);
  const { port } = withoutChanges.address() as AddressInfo;
  const upstreamUrl = `http://127.0.0.1:${port}`;
  askingEdge = await startTestEdge({ ...parts, upstreamUrl, trustedProxies: TRUSTED });
});
afterAll(async () => {
  await edge.stop();
  await untrustingEdge.stop();
  await askingEdge.stop();
  withoutChanges.closeAllConnections();
  withoutChanges.close();
  for (const each of [test, untrusting, off]) await each.close();
});

const RESTRICTED = { allowedIPs: ['203.0.113.0/24', '2001:db8::/32'] };
const createKey = async (on: TestApp): Promise<string> =>
  (await on.client.post('/api-keys', { name: 'Key', projectId: on.projectId, ...RESTRICTED })).body
    .key;

/** The server at `url` without its stream of changes. */
async function serverWithoutChanges(url: string): Promise<Server> {
  const server = createServer((incoming, response) => {
    if (incoming.url!.startsWith('/changes')) return response.writeHead(503).end();
    const { method, headers } = incoming;
    const onward = request(new URL(incoming.url!, url), { method, headers }, (answer) =>
      answer.pipe(response.writeHead(answer.statusCode!, answer.headers)),
    );
    return incoming.pipe(onward.on('error', () => response.destroy()));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** The code in the header of the response, or else in its body. */
async function verify(
  { url, accessKey }: { url: string; accessKey: string },
  value: string,
  lines: readonly string[],
  rest = '',
) {
  const [response] = await sendRaw(
    url,
    [
      `GET /gateway/verify${rest} HTTP/1.1`,
      ...['Host: x', 'Connection: close'],
      ...[`X-Keyward-Access-Key: ${accessKey}`, `X-Keyward-Key: ${value}`],
      ...lines,
      '\r\n',
    ].join('\r\n'),
  );
  const { status, headers, text } = response!;
  return [status, headers['x-keyward-code'] ?? JSON.parse(text).code];
}

const ALLOWED = [200, 'valid'];
const DENIED = [403, 'ip_denied'];
const INVALID = [400, 'invalid_header'];

/** Header lines from a trusted proxy, the rest of the URL, and the result. */
const CASES: [string, string[], string, unknown[]][] = [
  ['an allowed address', ['X-Forwarded-For: 203.0.113.7'], '', ALLOWED],
  ['in another case', ['x-FORWARDED-for: 203.0.113.7'], '', ALLOWED],
  ['another address', ['X-Forwarded-For: 198.51.100.1'], '', DENIED],
  ['an IPv6 address', ['X-Forwarded-For: 2001:DB8:0:0::7'], '', ALLOWED],
  ['an IPv4-mapped address', ['X-Forwarded-For: ::ffff:203.0.113.7'], '', ALLOWED],
  ['an IPv4-mapped address in hexadecimal', ['X-Forwarded-For: ::FFFF:cb00:7107'], '', ALLOWED],
  ['no header', [], '', DENIED],
  ['another header', ['X-Real-IP: 203.0.113.7', 'Forwarded: for=203.0.113.7'], '', DENIED],
  ['a list', ['X-Forwarded-For: 203.0.113.7, 198.51.100.1'], '', INVALID],
  ['the same twice', ['X-Forwarded-For: 203.0.113.7, 203.0.113.7'], '', INVALID],
  ['two headers', ['X-Forwarded-For: 203.0.113.7', 'X-Forwarded-For: 203.0.113.7'], '', INVALID],
  ['an empty header', ['X-Forwarded-For:'], '', INVALID],
  ['a port', ['X-Forwarded-For: 203.0.113.7:443'], '', INVALID],
  ['brackets', ['X-Forwarded-For: [2001:db8::7]'], '', INVALID],
  ['a zone', ['X-Forwarded-For: 2001:db8::7%eth0'], '', INVALID],
  ['a range', ['X-Forwarded-For: 203.0.113.0/24'], '', INVALID],
  ['a name', ['X-Forwarded-For: unknown'], '', INVALID],
  ['a leading zero', ['X-Forwarded-For: 203.0.113.07'], '', INVALID],
  ['a long value', [`X-Forwarded-For: ${'1'.repeat(4_000)}`], '', INVALID],
  ['the same address in the query', ['X-Forwarded-For: 203.0.113.7'], '?ip=203.0.113.7', ALLOWED],
  ['the same, mapped', ['X-Forwarded-For: 203.0.113.7'], '?ip=::ffff:203.0.113.7', ALLOWED],
  [
    'another address in the query',
    ['X-Forwarded-For: 198.51.100.1'],
    '?ip=203.0.113.7',
    [400, 'invalid_query'],
  ],
  [
    'another address in the header',
    ['X-Forwarded-For: 203.0.113.7'],
    '?ip=198.51.100.1',
    [400, 'invalid_query'],
  ],
  ['only the query', [], '?ip=203.0.113.7', ALLOWED],
];

describe('KEYWARD_CLIENT_IP_HEADER', () => {
  it.each(CASES)('from a trusted proxy: %s', async (_, lines, rest, expected) => {
    expect(await verify(test, key, lines, rest)).toEqual(expected);
    for (const { address } of [edge, edge, askingEdge]) {
      const atEdge = { url: address, accessKey: off.accessKey };
      expect(await verify(atEdge, offKey, lines, rest)).toEqual(expected);
    }
  });

  it('is read below the path, where the query is ignored', async () => {
    const rest = '/documents/7?ip=203.0.113.7';
    expect(await verify(test, key, [], rest)).toEqual(DENIED);
    expect(await verify(test, key, ['X-Forwarded-For: 203.0.113.7'], rest)).toEqual(ALLOWED);
    expect(await verify(test, key, ['X-Forwarded-For: 198.51.100.1'], rest)).toEqual(DENIED);
  });

  it('is ignored on connections from elsewhere, and by default', async () => {
    const other = await createKey(untrusting);
    const atEdge = { url: untrustingEdge.address, accessKey: off.accessKey };
    for (const value of ['203.0.113.7', 'not an address', '203.0.113.7, 10.9.0.1']) {
      const lines = [`X-Forwarded-For: ${value}`];
      expect(await verify(untrusting, other, lines)).toEqual(DENIED);
      expect(await verify(off, offKey, lines)).toEqual(DENIED);
      expect(await verify(atEdge, offKey, lines)).toEqual(DENIED);
    }
  });

  it('is read by an edge that forwards requests to its server', async () => {
    const atEdge = { url: askingEdge.address, accessKey: off.accessKey };
    expect(await verify(atEdge, offKey, ['X-Forwarded-For: 203.0.113.7'])).toEqual(ALLOWED);
    const metrics = await (await fetch(`${askingEdge.address}/metrics`)).text();
    const [, forwarded] = /outcome="forwarded"\} (\d+)/.exec(metrics) ?? [];
    expect(Number(forwarded)).toBeGreaterThan(0);
  });

  it('is read nowhere else', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    const codes = await Promise.all([
      test.client.post('/api-keys/auth', { key }, headers),
      test.client.post(`/api-keys/auth/${key}`, undefined, headers),
      test.client.get(`/api-keys/auth/${key}`, headers),
    ]);
    expect(codes.map(({ body }) => body.code)).toEqual(['ip_denied', 'ip_denied', 'ip_denied']);
  });
});
