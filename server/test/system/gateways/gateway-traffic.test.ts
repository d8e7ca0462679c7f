import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { GATEWAYS, type Gateway, startGateway } from './gateway-process.ts';
import { type RecordingApi, startRecordingApi, textFrame } from './recording-api.ts';

const MEGABYTE = 1_000_000;

let keyward: TestApp;
let api: RecordingApi;
beforeAll(async () => {
  keyward = await startTestApp({ realClock: true });
  api = await startRecordingApi();
});
afterAll(async () => {
  api.close();
  await keyward.close();
});
beforeEach(() => {
  api.requests.length = 0;
});

const createKey = async (body: object = {}) =>
  (await keyward.client.post('/api-keys', { name: 'Key', projectId: keyward.projectId, ...body }))
    .body;
const addresses = () => ({
  keywardPort: Number(new URL(keyward.url).port),
  apiPort: api.port,
  accessKey: keyward.accessKey,
});

describe.each(GATEWAYS)('%s with its recipe', (name) => {
  let gateway: Gateway;
  let key: string;
  beforeAll(async () => {
    gateway = await startGateway(name, addresses());
    key = (await createKey({ customUserId: 'ada' })).key;
  });
  afterAll(() => gateway.stop());

  const open = (
    path: string,
    { method = 'GET', ...headers }: Record<string, string> = {},
    to = gateway,
  ) => request(`${to.url}${path}`, { method, headers, agent: false });
  const answerOf = async (sent: ReturnType<typeof request>) => {
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode!, headers: response.headers, text: await text(response) };
  };
  const call = (path: string, headers: Record<string, string> = {}, to = gateway) =>
    answerOf(open(path, headers, to).end());

  const HANDSHAKE = {
    connection: 'keep-alive, Upgrade',
    upgrade: 'WebSocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  };

  it('opens WebSockets, after it has checked the key', async () => {
    const sent = open('/hello/socket', { ...HANDSHAKE, 'x-api-key': key }).end();
    const refused = once(sent, 'response').then(([{ statusCode }]) => {
      throw new Error(`The gateway answered ${statusCode}.`);
    });
    const upgraded = once(sent, 'upgrade') as Promise<[IncomingMessage, Socket]>;
    const [response, socket] = await Promise.race([upgraded, refused]);
    expect(response.statusCode).toBe(101);
    expect(response.headers['sec-websocket-accept']).toBe('s3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
    for (const word of ['one', 'two']) {
      socket.write(textFrame(word));
      const [frame] = (await once(socket, 'data')) as [Buffer];
      expect(frame.subarray(2).toString()).toBe(word);
    }
    socket.destroy();
    expect(api.requests).toHaveLength(1);
    const [{ headers }] = api.requests as [RecordingApi['requests'][number]];
    expect(headers.connection?.toLowerCase()).toBe('upgrade');
    expect(headers.upgrade).toBe('websocket');
    expect(headers['x-keyward-user-id']).toBe('ada');
    expect(headers).not.toHaveProperty('x-api-key');
  });

  it('refuses WebSockets without a key or a permission, and passes on no other upgrade', async () => {
    expect((await call('/hello/socket', HANDSHAKE)).status).toBe(401);
    expect((await call('/documents/socket', { ...HANDSHAKE, 'x-api-key': key })).status).toBe(403);
    expect(api.requests).toEqual([]);
    for (const headers of [{ upgrade: 'h2c' }, { connection: 'close' }]) {
      api.requests.length = 0;
      const response = await call('/hello', { ...HANDSHAKE, 'x-api-key': key, ...headers });
      expect(response.status).toBe(200);
      expect(api.requests[0]!.headers).not.toHaveProperty('upgrade');
    }
  });

  it('passes on bodies of any size, with and without a length', async () => {
    const lengths: Record<string, string>[] = [{ 'content-length': String(5 * MEGABYTE) }, {}];
    for (const length of lengths) {
      api.requests.length = 0;
      const sent = open('/hello', { method: 'POST', 'x-api-key': key, ...length });
      for (let n = 0; n < 5; n++) sent.write(Buffer.alloc(MEGABYTE, 'x'));
      sent.end();
      expect((await answerOf(sent)).status).toBe(200);
      expect(api.requests.map(({ bodyBytes }) => bodyBytes)).toEqual([5 * MEGABYTE]);
    }
  });

  it('passes on a body while it arrives', async () => {
    const arrived = once(api.events, 'body');
    const sent = open('/hello', { method: 'POST', 'x-api-key': key });
    sent.write(Buffer.alloc(100_000, 'x'));
    await arrived;
    sent.end('the rest');
    expect((await answerOf(sent)).status).toBe(200);
    expect(api.requests[0]!.bodyBytes).toBe(100_008);
  });

  it('sends the address of the client to Keyward, and to the API', async () => {
    const allowed = await createKey({ allowedIPs: ['127.0.0.1'] });
    const elsewhere = await createKey({ allowedIPs: ['10.0.0.1'] });
    const forged = {
      ...{ 'x-forwarded-for': '10.0.0.1', 'x-real-ip': '10.0.0.1', forwarded: 'for=10.0.0.1' },
      'x-keyward-client-ip': '10.0.0.1',
    };
    expect((await call('/hello?ip=10.0.0.1', { ...forged, 'x-api-key': allowed.key })).status).toBe(
      200,
    );
    expect(api.requests[0]!.headers['x-forwarded-for']).toBe('127.0.0.1');
    expect(api.requests[0]!.headers).not.toHaveProperty('x-keyward-client-ip');
    const refused = await call('/hello?ip=10.0.0.1', { ...forged, 'x-api-key': elsewhere.key });
    expect([refused.status, JSON.parse(refused.text).code]).toEqual([403, 'ip_denied']);
  });

  it('validates once for each request, also on paths that need a permission', async () => {
    const rateLimitConfigs = { rateLimit: 100, rateLimitTtl: 600 };
    const limited = await createKey({ permissions: ['documents.*'], rateLimitConfigs });
    const left: unknown[] = [];
    for (const [path, method] of [
      ['/hello', 'GET'],
      ['/documents/7', 'GET'],
      ['/documents', 'POST'],
      ['/documents/7', 'DELETE'],
    ] as const)
      left.push(
        (await call(path, { method, 'x-api-key': limited.key })).headers['ratelimit-remaining'],
      );
    expect(left).toEqual(['99', '98', '97', '96']);
  });

  describe('CORS preflights', () => {
    const PREFLIGHT = {
      method: 'OPTIONS',
      origin: 'https://app.example.com',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-api-key',
    };
    /** As the comment in the recipe says. */
    const passOn = (recipe: string) =>
      recipe.replace(/(remove the # in the next line\.\n\s*)# /, '$1');

    it('are refused by default', async () => {
      expect((await call('/hello', PREFLIGHT)).status).toBe(401);
      expect((await call('/documents', PREFLIGHT)).status).toBe(401);
      expect(api.requests).toEqual([]);
    });

    it('reach the API with the option, without a key and without an identity', async () => {
      const open = await startGateway(name, { ...addresses(), edit: passOn });
      try {
        const forged = { 'x-keyward-user-id': 'forged', x_keyward_user_id: 'forged' };
        for (const path of ['/hello', '/documents/7']) {
          api.requests.length = 0;
          const headers = { ...PREFLIGHT, ...forged, 'x-api-key': key };
          expect((await call(path, headers, open)).status).toBe(200);
          const [recorded] = api.requests as [RecordingApi['requests'][number]];
          expect(recorded).toMatchObject({ method: 'OPTIONS', url: path });
          expect(recorded.headers.origin).toBe(PREFLIGHT.origin);
          expect(JSON.stringify(recorded.lines)).not.toMatch(/keyward|forged/i);
          expect(recorded.headers).not.toHaveProperty('x-api-key');
        }
        api.requests.length = 0;
        const { origin: _, ...withoutOrigin } = PREFLIGHT;
        const { 'access-control-request-method': __, ...ordinary } = PREFLIGHT;
        for (const headers of [withoutOrigin, ordinary, { ...PREFLIGHT, method: 'POST' }])
          expect((await call('/hello', headers, open)).status).toBe(401);
        expect((await call('/documents;a=b', PREFLIGHT, open)).status).toBe(400);
        expect((await call('/other', PREFLIGHT, open)).status).toBe(404);
        expect(api.requests).toEqual([]);
        const reply = await call('/hello', { method: 'OPTIONS', 'x-api-key': key }, open);
        expect(reply.status).toBe(200);
        expect(api.requests[0]!.headers['x-keyward-user-id']).toBe('ada');
      } finally {
        await open.stop();
      }
    });
  });
});
