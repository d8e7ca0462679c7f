import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { GATEWAYS, type Gateway, startGateway } from './gateway-process.ts';
import { type RecordingApi, sendBytes, startRecordingApi } from './recording-api.ts';

const IDENTITY = [
  ...['X-Keyward-Key-Id', 'X-Keyward-Project-Id', 'X-Keyward-Account-Id', 'X-Keyward-User-Id'],
  ...['X-Keyward-Name', 'X-Keyward-Env', 'X-Keyward-Metadata', 'X-Keyward-Permissions'],
];
const NAMES = IDENTITY.join(', ');
const FORGED = IDENTITY.map((name) => `${name}: forged`);

/** Header lines of an attack; the valid key is added. */
const HEADERS: [string, string[]][] = [
  ['Connection names the identity', [`Connection: close, ${NAMES}`]],
  ['Connection names the identity first', [`Connection: ${NAMES}, close`]],
  ['Connection in lower case', [`connection: close,${NAMES.toLowerCase().replaceAll(' ', '')}`]],
  ['Connection repeated', ['Connection: close', `Connection: ${NAMES}`]],
  ['Connection repeated for each name', ['Connection: close', ...each('Connection')]],
  ['Connection with keep-alive', [`Connection: keep-alive, ${NAMES}`, 'Connection: close']],
  ['Connection with tabs', [`Connection: close,\t${NAMES.replaceAll(', ', '\t,\t')}`]],
  [
    'Connection with a WebSocket',
    [`Connection: Upgrade, close, ${NAMES}`, 'Upgrade: websocket-like'],
  ],
  ['Connection names the key', ['Connection: close, X-Api-Key, Authorization, Host']],
  ['TE names the identity', ['Connection: close, TE', `TE: trailers, ${NAMES}`]],
  ['Trailer names the identity', ['Connection: close', `Trailer: ${NAMES}`]],
  ['Keep-Alive', ['Connection: close, Keep-Alive', `Keep-Alive: timeout=5, ${NAMES}`]],
  ['Proxy-Connection', ['Connection: close', `Proxy-Connection: ${NAMES}`, 'Proxy: http://evil']],
  ['Proxy-Authorization', ['Connection: close', 'Proxy-Authorization: Basic eDp4']],
  ['all at once', ['Connection', 'TE', 'Trailer'].map((name) => `${name}: close, ${NAMES}`)],
  [
    'h2c',
    ['Connection: Upgrade, HTTP2-Settings, close', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk'],
  ],
  ['forged', ['Connection: close', ...FORGED]],
  ['forged twice', ['Connection: close', ...FORGED, ...FORGED]],
  ['forged in lower case', ['Connection: close', ...FORGED.map((line) => line.toLowerCase())]],
  ['forged in upper case', ['Connection: close', ...FORGED.map((line) => line.toUpperCase())]],
  ['forged with underscores', ['Connection: close', ...FORGED.map(withUnderscores)]],
  ['forged with one underscore', ['Connection: close', 'X-Keyward-User_Id: forged']],
  ['forged, named by Connection', [`Connection: close, ${NAMES}`, ...FORGED]],
  ['forged with a space before the colon', ['Connection: close', 'X-Keyward-User-Id : forged']],
  ['forged on a folded line', ['Connection: close', 'X-Other: 1', ' X-Keyward-User-Id: folded']],
  ['forged after a bare CR', ['Connection: close', 'X-Other: 1\rX-Keyward-User-Id: forged']],
  ['forged after a bare LF', ['Connection: close', 'X-Other: 1\nX-Keyward-User-Id: forged']],
  ['forged after NUL', ['Connection: close', 'X-Keyward-User-Id\0: forged']],
  ['forged path of WSGI', ['Connection: close', 'SCRIPT_NAME: /x', 'Path_Info: /documents']],
  ['forged path', ['Connection: close', 'X-Original-URL: /documents', 'X-Rewrite-URL: /documents']],
  [
    'forged method',
    ['-Override', ''].map((end) => `X-HTTP-Method${end}: DELETE`).concat('Connection: close'),
  ],
  ['the credential of the gateway', ['Connection: close', 'X-Keyward-Access-Key: forged']],
  ['another key', ['Connection: close', 'X-Keyward-Key: forged', 'X-Keyward-Own-Errors: 503']],
];
function each(name: string): string[] {
  return IDENTITY.map((value) => `${name}: ${value}`);
}
function withUnderscores(line: string): string {
  return line.replaceAll('-', '_');
}

let keyward: TestApp;
let api: RecordingApi;
let key: { key: string; id: string };
let other: { key: string; id: string };
beforeAll(async () => {
  keyward = await startTestApp({ realClock: true });
  api = await startRecordingApi();
  const create = async (customUserId: string) =>
    (
      await keyward.client.post('/api-keys', {
        name: 'Key',
        projectId: keyward.projectId,
        customUserId,
        customAccountId: 'acme',
        customMetaData: { plan: 'gold' },
      })
    ).body;
  key = await create('ada');
  other = await create('bob');
});
afterAll(async () => {
  api.close();
  await keyward.close();
});
beforeEach(() => {
  api.requests.length = 0;
});

/** The identity that reached the API, from headers and trailers in any spelling; each header once. */
function identityOf({ lines, trailers }: RecordingApi['requests'][number]): object {
  const pairs = lines.flatMap((name, n) => (n % 2 === 0 ? [[name, lines[n + 1]!] as const] : []));
  const ours = [...pairs, ...Object.entries(trailers)]
    .map(([name, value]) => [name.toLowerCase().replaceAll(/[^a-z0-9]/g, '-'), value] as const)
    .filter(([name, value]) => name.includes('keyward') && value !== '');
  expect(new Set(ours.map(([name]) => name)).size, 'a header is repeated').toBe(ours.length);
  return Object.fromEntries(ours);
}

const genuine = ({ id }: { id: string }, user: string) => ({
  'x-keyward-key-id': id,
  'x-keyward-project-id': keyward.projectId,
  'x-keyward-account-id': 'acme',
  'x-keyward-user-id': user,
  'x-keyward-name': 'Key',
  'x-keyward-env': 'live',
  'x-keyward-metadata': '{"plan":"gold"}',
});

/** The API got one request with the genuine identity and nothing of the attack. */
function expectGenuine(user = 'ada'): void {
  expect(api.requests).toHaveLength(1);
  const [request] = api.requests;
  expect(identityOf(request!)).toEqual(genuine(user === 'ada' ? key : other, user));
  const text = JSON.stringify([request!.lines, request!.trailers]);
  expect(text).not.toMatch(/forged/i);
  expect(text).not.toContain(key.key);
  expect(text).not.toMatch(/"(te|trailer|proxy|proxy-[a-z]+|upgrade|http2-settings)"/i);
  expect(text).not.toMatch(/"(script_name|path_info)"/i);
  expect(text).not.toMatch(/"(x-original-url|x-rewrite-url|x-http-method(-override)?)"/i);
  expect(['close', 'keep-alive', undefined]).toContain(request!.headers.connection?.toLowerCase());
}

describe.each(GATEWAYS)('%s with its recipe', (name) => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway(name, {
      keywardPort: Number(new URL(keyward.url).port),
      apiPort: api.port,
      accessKey: keyward.accessKey,
    });
  });
  afterAll(() => gateway.stop());

  const send = (start: string, lines: readonly string[], body = '') =>
    sendBytes(gateway.url, [start, 'Host: 127.0.0.1', ...lines, '', body].join('\r\n'));
  const asAda = () => `X-Api-Key: ${key.key}`;

  it.each(HEADERS)('keeps the identity: %s', async (_title, lines) => {
    const { status } = await send('GET /hello HTTP/1.1', [...lines, asAda()]);
    if (status === 200) return expectGenuine();
    // A malformed header, or one that removes the key, may be rejected instead.
    expect([400, 401]).toContain(status);
    expect(api.requests).toEqual([]);
  });

  it.each(HEADERS)('admits nobody without a key: %s', async (_title, lines) => {
    expect([400, 401]).toContain((await send('GET /hello HTTP/1.1', lines)).status);
    expect(api.requests).toEqual([]);
  });

  it('keeps the identity with HTTP/1.0 and with an absolute URL', async () => {
    const attack = [`Connection: close, ${NAMES}`, ...FORGED, asAda()];
    for (const start of ['GET /hello HTTP/1.0', 'GET http://127.0.0.1/hello HTTP/1.1']) {
      api.requests.length = 0;
      const { status } = await send(start, attack);
      if (status === 200) expectGenuine();
      else expect([status, api.requests]).toEqual([400, []]);
    }
  });

  it('takes no identity from the trailers of a body', async () => {
    const trailers = [...FORGED, 'X_Keyward_User_Id: forged', 'X-Api-Key: forged'].join('\r\n');
    const chunked = ['Connection: close', 'Transfer-Encoding: chunked', asAda()];
    for (const announced of [[], [`Trailer: ${NAMES}`, 'TE: trailers']]) {
      api.requests.length = 0;
      const body = `5\r\nhello\r\n0\r\n${trailers}\r\n\r\n`;
      const { status } = await send('POST /hello HTTP/1.1', [...chunked, ...announced], body);
      expect(status).toBe(200);
      const [request] = api.requests;
      expect(request!.bodyBytes).toBe(5);
      // HAProxy can drop them since version 3.2. Before, they arrive as trailers, which are not headers.
      if (name !== 'haproxy') expect(request!.trailers).toEqual({});
      expect(identityOf({ ...request!, trailers: {} })).toEqual(genuine(key, 'ada'));
      expect(JSON.stringify(request!.lines)).not.toContain('forged');
    }
  });

  const second = `GET /documents HTTP/1.1\r\nHost: x\r\nX-Keyward-User-Id: forged\r\n\r\n`;
  const FRAMINGS: [string, string[], string][] = [
    [
      'chunked and content-length',
      [`Content-Length: ${5 + second.length}`, 'Transfer-Encoding: chunked'],
      `0\r\n\r\n${second}`,
    ],
    ['content-length twice', ['Content-Length: 0', `Content-Length: ${second.length}`], second],
    ['an unknown encoding', ['Transfer-Encoding: xchunked', 'Content-Length: 0'], second],
    ['chunked twice', ['Transfer-Encoding: chunked, chunked'], `0\r\n\r\n${second}`],
    ['chunked, then identity', ['Transfer-Encoding: chunked, identity'], `0\r\n\r\n${second}`],
    ['a space before the colon', ['Transfer-Encoding : chunked', 'Content-Length: 0'], second],
    ['a signed length', ['Content-Length: +0'], second],
    ['a body of GET', [`Content-Length: ${second.length}`], second],
    ['a chunk extension', ['Transfer-Encoding: chunked'], `0;x\n\r\n\r\n${second}`],
  ];
  it.each(FRAMINGS)(
    'passes on no second request that nobody checked: %s',
    async (_, lines, body) => {
      for (const close of ['Connection: close', 'Connection: keep-alive']) {
        api.requests.length = 0;
        const after = close.endsWith('close')
          ? ''
          : 'GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
        await send('GET /hello HTTP/1.1', [close, ...lines, asAda()], body + after);
        expect(api.requests.map(({ url }) => url).filter((url) => url !== '/hello')).toEqual([]);
        for (const request of api.requests)
          expect(identityOf(request)).toEqual(genuine(key, 'ada'));
      }
    },
  );

  it('rejects a repeated key, or uses the first', async () => {
    const twice = (first: string, then: string) => ['Connection: close', first, then];
    const bob = `X-Api-Key: ${other.key}`;
    const attempts: [string[], string][] = [
      [twice(asAda(), asAda()), 'ada'],
      [twice(asAda(), bob), 'ada'],
      [twice(bob, asAda()), 'bob'],
      [twice(`Authorization: Bearer ${key.key}`, `Authorization: Bearer ${other.key}`), 'ada'],
    ];
    for (const [lines, user] of attempts) {
      api.requests.length = 0;
      const { status } = await send('GET /hello HTTP/1.1', lines);
      // Before version 1.23, nginx reads only the first of several headers.
      if (status === 200 && name === 'nginx') {
        expectGenuine(user);
        continue;
      }
      expect([400, 401]).toContain(status);
      expect(api.requests).toEqual([]);
    }
  });

  it('is not disturbed by other repeated headers', async () => {
    const names = ['Content-Type', 'Idempotency-Key', 'Cookie', 'X-Origin-Domain', 'X-Keyward-Key'];
    const lines = names.flatMap((each) => [`${each}: one`, `${each}: two`]);
    const { status } = await send('GET /hello HTTP/1.1', ['Connection: close', ...lines, asAda()]);
    expect(status).toBe(200);
    expectGenuine();
  });
});
