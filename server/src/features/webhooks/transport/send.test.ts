import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseAllowList } from './address-rules.ts';
import { createGuardedAgent, type WebhookAgent } from './guarded-agent.ts';
import { type AttemptResult, type SendOptions, sendOnce } from './send.ts';

const PLANTED = 'live_plantedPLANTEDplanted0123456789';
const BODY = `{"data":{"key":"${PLANTED}","name":"Zoë"}}`;
const NOW = Date.parse('2026-03-01T00:00:00Z');
const SHORT_MS = 400;

let agent: WebhookAgent;
const servers: Server[] = [];
const sockets = new Set<Socket>();

beforeEach(() => {
  agent = createGuardedAgent({ allow: parseAllowList('127.0.0.0/8'), connectTimeoutMs: 60_000 });
});

afterEach(async () => {
  await agent.destroy();
  for (const socket of sockets) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

interface Receiver {
  readonly url: string;
  connections: number;
  received: string;
}

/** A receiver on real TCP; `answer` is called once for each request, when its body has arrived. */
async function receiver(answer: (socket: Socket) => void): Promise<Receiver> {
  const state = { url: '', connections: 0, received: '' };
  const server = createServer((socket) => {
    state.connections++;
    sockets.add(socket.on('error', () => {}));
    let request = '';
    socket.on('data', (chunk) => {
      state.received += chunk;
      request += chunk;
      if (!request.endsWith(BODY)) return;
      request = '';
      answer(socket);
    });
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?a=1`;
  return state;
}

const replying = (bytes: string | Buffer) => receiver((socket) => socket.write(bytes));

const plain = (status: string, body = '', headers = '') =>
  `HTTP/1.1 ${status}\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

const COMPRESSED = '[not shown: the response is compressed]';

function encoded(encoding: string, body: Buffer): Buffer {
  const head = `HTTP/1.1 200 OK\r\ncontent-encoding: ${encoding}\r\ncontent-length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

async function send(url: string, options: Partial<SendOptions> = {}): Promise<AttemptResult> {
  const result = await sendOnce({
    agent,
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'webhook-id': 'evt_1' },
    body: BODY,
    deadlineMs: 60_000,
    now: NOW,
    ...options,
  });
  expect(result.error ?? '').toMatch(/^[\x20-\x7e]{0,120}$/);
  expect(result.responseBody.length).toBeLessThanOrEqual(1024);
  return result;
}

describe('an attempt that arrives', () => {
  it('sends method, path, headers and body as given, and accepts no encoding', async () => {
    const there = await replying(plain('200 OK', 'thanks'));
    const headers = { 'webhook-id': 'evt_1', 'accept-encoding': 'gzip' };
    const result = await send(there.url, { method: 'PUT', headers: { ...headers } });
    expect(result).toEqual({
      outcome: 'delivered',
      statusCode: 200,
      error: null,
      durationMs: expect.any(Number),
      responseBody: 'thanks',
      retryAfterMs: null,
    });
    expect(there.received).toMatch(/^PUT \/hook\?a=1 HTTP\/1\.1\r\n/);
    expect(there.received).toContain('webhook-id: evt_1\r\n');
    expect(there.received).toContain('accept-encoding: identity\r\n');
    expect(there.received).not.toContain('gzip');
    expect(there.received.endsWith(`\r\n\r\n${BODY}`)).toBe(true);
  });

  it.each(['200 OK', '201 Created', '202 Accepted', '299 Fine'])(
    'is delivered by %s',
    async (status) => {
      const { url } = await replying(plain(status));
      expect(await send(url)).toMatchObject({ outcome: 'delivered', error: null });
    },
  );

  it('is delivered with a 204 without body, and with a chunked response', async () => {
    const empty = await replying('HTTP/1.1 204 No Content\r\n\r\n');
    expect(await send(empty.url)).toMatchObject({ outcome: 'delivered', responseBody: '' });
    const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
    const chunked = await replying(`${head}2\r\nab\r\n1\r\nc\r\n0\r\n\r\n`);
    expect(await send(chunked.url)).toMatchObject({ outcome: 'delivered', responseBody: 'abc' });
  });

  it('keeps its connection open for the next attempts', async () => {
    const there = await replying(plain('200 OK', 'thanks'));
    for (let i = 0; i < 10; i++) expect((await send(there.url)).outcome).toBe('delivered');
    // Two, because undici opens a second connection before it has put the first one back.
    expect(there.connections).toBeLessThanOrEqual(2);
  });

  it.each([
    ['gzip', gzipSync('héllo')],
    ['X-GZip', gzipSync('héllo')],
    ['deflate', deflateSync('héllo')],
    ['br', brotliCompressSync('héllo')],
    ['zstd', zstdCompressSync('héllo')],
    ['gzip, br', brotliCompressSync(gzipSync('héllo'))],
    ['gzip', Buffer.from('not gzip')],
  ])('is delivered, although its response is compressed with %s', async (encoding, bytes) => {
    const { url } = await replying(encoded(encoding, bytes));
    expect(await send(url)).toMatchObject({ outcome: 'delivered', responseBody: COMPRESSED });
  });

  it('is delivered by an empty response with an encoding', async () => {
    const { url } = await replying(encoded('gzip', Buffer.alloc(0)));
    expect(await send(url)).toMatchObject({ outcome: 'delivered', responseBody: '' });
  });

  it.each(['identity', 'utf-8'])('is delivered, and its %s response is read', async (encoding) => {
    const { url } = await replying(encoded(encoding, Buffer.from('héllo')));
    expect(await send(url)).toMatchObject({ outcome: 'delivered', responseBody: 'héllo' });
  });

  it.each([16_384, 16_385, 1_000_000])(
    'is delivered by a response of %i bytes, whose start is kept',
    async (bytes) => {
      const { url } = await replying(plain('200 OK', 'x'.repeat(bytes)));
      expect(await send(url)).toMatchObject({
        outcome: 'delivered',
        error: null,
        responseBody: 'x'.repeat(1024),
      });
    },
  );

  it('closes its connection if the response was not read to its end', async () => {
    const part = `HTTP/1.1 200 OK\r\ncontent-length: 99999\r\n\r\n${'x'.repeat(20_000)}`;
    const there = await replying(part);
    for (let n = 1; n <= 3; n++) {
      expect(await send(there.url)).toMatchObject({ outcome: 'delivered' });
      expect(there.connections).toBe(n);
    }
  });

  it.each([
    ['a bad chunk', 'transfer-encoding: chunked\r\n\r\n2\r\nab\r\nzz\r\n', 'ab'],
    ['a header value beyond ASCII', 'a: \u00e9\r\ncontent-length: 1\r\n\r\na', 'a'],
  ])('is delivered by a 2xx with %s', async (_, rest, responseBody) => {
    const { url } = await replying(`HTTP/1.1 200 OK\r\n${rest}`);
    expect(await send(url)).toMatchObject({ outcome: 'delivered', error: null, responseBody });
  });

  it.each([
    ['the body', 'content-length: 9\r\n\r\nab', 'ab'],
    ['chunks', 'transfer-encoding: chunked\r\n\r\n2\r\nab\r\n', 'ab'],
    ['a gzip', 'content-encoding: gzip\r\ncontent-length: 9\r\n\r\n\u001f', COMPRESSED],
  ])('is delivered by a 2xx if the connection is closed within %s', async (_, rest, start) => {
    const there = await receiver((socket) => socket.end(`HTTP/1.1 200 OK\r\n${rest}`));
    expect(await send(there.url)).toMatchObject({ outcome: 'delivered', responseBody: start });
    expect(there.connections).toBe(1);
    expect(there.received.split(BODY)).toHaveLength(2);
  });
});

describe('an attempt that is rejected', () => {
  it.each(['400 Bad Request', '401 X', '404 Not Found', '500 Oops', '503 X', '599 X'])(
    'fails with %s, and keeps the start of the body',
    async (status) => {
      const { url } = await replying(plain(status, 'no such hook'));
      expect(await send(url)).toMatchObject({
        outcome: 'failed',
        statusCode: Number(status.slice(0, 3)),
        error: `HTTP ${status.slice(0, 3)}`,
        responseBody: 'no such hook',
        retryAfterMs: null,
      });
    },
  );

  it('is gone with 410, even when the response breaks off', async () => {
    const whole = await replying(plain('410 Gone'));
    expect(await send(whole.url)).toMatchObject({ outcome: 'gone', error: 'HTTP 410' });
    const broken = await receiver((socket) =>
      socket.end('HTTP/1.1 410 Gone\r\ncontent-length: 9\r\n\r\nx'),
    );
    expect(await send(broken.url)).toMatchObject({ outcome: 'gone', statusCode: 410 });
  });

  it.each([301, 302, 303, 307, 308])('fails with %i, and follows no redirect', async (status) => {
    const elsewhere = await replying(plain('200 OK'));
    const { url } = await replying(plain(`${status} Moved`, '', `location: ${elsewhere.url}\r\n`));
    expect(await send(url)).toMatchObject({
      outcome: 'failed',
      statusCode: status,
      error: `HTTP ${status}; redirects are not followed`,
    });
    expect(elsewhere.connections).toBe(0);
  });

  it.each([
    ['120', 120_000],
    ['0', 0],
    ['99999999999999999999999', 86_400_000],
    ['Sun, 01 Mar 2026 00:10:00 GMT', 600_000],
    ['Sat, 28 Feb 2026 00:00:00 GMT', 0],
    ['Sun, 01 Mar 2099 00:00:00 GMT', 86_400_000],
    ['soon', null],
    ['-1', null],
    ['1.5', null],
    ['2026-03-01', null],
    ['', null],
  ])('reads Retry-After %j as %j ms', async (header, retryAfterMs) => {
    const { url } = await replying(plain('503 Busy', '', `retry-after: ${header}\r\n`));
    expect(await send(url)).toMatchObject({ outcome: 'failed', retryAfterMs });
  });

  it('uses the first of two Retry-After headers, and none of a successful delivery', async () => {
    const twice = await replying(plain('429 Slow', '', 'retry-after: 7\r\nretry-after: 9\r\n'));
    expect((await send(twice.url)).retryAfterMs).toBe(7000);
    const fine = await replying(plain('200 OK', '', 'retry-after: 7\r\n'));
    expect((await send(fine.url)).retryAfterMs).toBeNull();
  });
});

describe('an attempt ends at the deadline', () => {
  const late = { deadlineMs: SHORT_MS };
  const error = 'no complete response within 0.4 s';

  function dripping(start: string, drop: string) {
    return receiver((socket) => {
      socket.write(start);
      const timer = setInterval(() => socket.write(drop), 10);
      socket.on('close', () => clearInterval(timer));
    });
  }

  /** Tries again with more time, until a part of the body arrives before the deadline even on a slow machine. */
  async function sendLongEnough(url: string) {
    for (let deadlineMs = SHORT_MS; ; deadlineMs *= 4) {
      const result = await send(url, { deadlineMs });
      if (result.responseBody === '') continue;
      const error = `no complete response within ${deadlineMs / 1000} s`;
      expect(result).toMatchObject({ outcome: 'failed', statusCode: 200, error });
      return result;
    }
  }

  it('if the receiver sends nothing', async () => {
    const { url } = await receiver(() => {});
    expect(await send(url, late)).toMatchObject({ outcome: 'failed', statusCode: null, error });
  });

  it('and the connection is closed', async () => {
    const closed = Promise.withResolvers<void>();
    let hasArrived = false;
    const { url } = await receiver((socket) => {
      hasArrived = true;
      socket.on('close', () => closed.resolve());
    });
    for (let deadlineMs = SHORT_MS; !hasArrived; deadlineMs *= 4)
      expect((await send(url, { deadlineMs })).outcome).toBe('failed');
    await closed.promise;
  });

  it('if the receiver drips headers', async () => {
    const { url } = await dripping('HTTP/1.1 200 OK\r\n', 'a: b\r\n');
    expect(await send(url, late)).toMatchObject({ outcome: 'failed', statusCode: null, error });
  });

  it('if the receiver drips a body, whose start is kept', async () => {
    const { url } = await dripping('HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n', 'z');
    expect((await sendLongEnough(url)).responseBody).toMatch(/^z+$/);
  });

  it('if the receiver drips an encoded body', async () => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 9999\r\n\r\n';
    const { url } = await dripping(`${head}\u001f`, '');
    expect((await sendLongEnough(url)).responseBody).toBe(COMPRESSED);
  });

  it('if the receiver sends one interim response after another', async () => {
    const { url } = await dripping('', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n');
    expect(await send(url, late)).toMatchObject({ outcome: 'failed', statusCode: null, error });
  });

  it('while other attempts succeed on their own connections', async () => {
    let count = 0;
    const arrived = Promise.withResolvers<void>();
    const there = await receiver((socket) => {
      arrived.resolve();
      if (count++ > 0) socket.write(plain('200 OK'));
    });
    let hanging = send(there.url, late);
    for (let deadlineMs = 4 * SHORT_MS; ; deadlineMs *= 4) {
      await Promise.race([arrived.promise, hanging]);
      if (count > 0) break;
      hanging = send(there.url, { deadlineMs });
    }
    expect((await send(there.url)).outcome).toBe('delivered');
    expect((await hanging).outcome).toBe('failed');
  });
});

describe('a receiver that sends too much is cut off', () => {
  it('while it sends 10 GB', async () => {
    let sent = 0;
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const closed = Promise.withResolvers<void>();
    const { url } = await receiver((socket) => {
      const pour = () => {
        while (socket.writable && sent < 10e9) {
          sent += chunk.length;
          if (!socket.write(chunk)) return;
        }
      };
      socket.on('drain', pour).on('close', () => closed.resolve());
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10000000000\r\n\r\n');
      pour();
    });
    const result = await send(url);
    expect(result).toMatchObject({ outcome: 'delivered', error: null });
    await closed.promise;
    // The buffers of both sockets fill before the sender notices the closed connection.
    expect(sent).toBeLessThan(50e6);
  });

  it('when a small compressed response would be large', async () => {
    const { url } = await replying(encoded('gzip', gzipSync(Buffer.alloc(12e6))));
    expect(await send(url)).toMatchObject({ outcome: 'delivered', responseBody: COMPRESSED });
  });

  it('when its headers are too large', async () => {
    const { url } = await replying(plain('200 OK', '', `a: ${'x'.repeat(1e6)}\r\n`));
    const error = 'the headers of the response are larger than 16 KB';
    expect(await send(url)).toMatchObject({ outcome: 'failed', statusCode: null, error });
  });
});

describe('an attempt fails if the receiver', () => {
  const ok = 'HTTP/1.1 200 OK\r\n';
  const closed = 'the connection was closed before the response was complete';
  const notHttp = 'the response is not valid HTTP';
  const wrongLength = 'the length of the response does not match its content-length';

  it.each([
    ['bytes of another protocol', 'SSH-2.0-OpenSSH_9.9\r\n', notHttp],
    ['no status', 'HTTP/1.1 \r\n\r\n', notHttp],
    ['a header name beyond ASCII', `${ok}é: a\r\n\r\n`, notHttp],
    ['a NUL in a header', `${ok}a: b\u0000c\r\n\r\n`, notHttp],
    ['two lengths', `${ok}content-length: 1\r\ncontent-length: 2\r\n\r\nab`, wrongLength],
    ['a negative length', `${ok}content-length: -1\r\n\r\n`, notHttp],
    [
      'a length and chunks',
      `${ok}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n`,
      wrongLength,
    ],
    [
      'an unrequested upgrade',
      'HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
      closed,
    ],
  ])('sends %s', async (_, bytes, error) => {
    const { url } = await replying(bytes);
    expect(await send(url)).toMatchObject({ outcome: 'failed', error });
  });

  it.each([
    ['before a byte', ''],
    ['within the headers', 'HTTP/1.1 200 OK\r\na: '],
  ])('closes the connection %s, with no second attempt', async (_, bytes) => {
    const there = await receiver((socket) => socket.end(bytes));
    const result = await send(there.url);
    expect(result).toMatchObject({ outcome: 'failed', statusCode: null, error: closed });
    expect(there.connections).toBe(1);
    expect(there.received.split(BODY)).toHaveLength(2);
  });

  it('resets the connection, with no second attempt', async () => {
    const there = await receiver((socket) => socket.resetAndDestroy());
    const error = 'the connection was reset';
    expect(await send(there.url)).toMatchObject({ outcome: 'failed', statusCode: null, error });
    expect(there.connections).toBe(1);
  });

  it('no longer listens', async () => {
    const { url } = await replying('');
    servers.at(-1)!.close();
    expect(await send(url)).toMatchObject({
      outcome: 'failed',
      error: 'the connection was refused',
    });
  });
});

describe('the stored response body', () => {
  it('contains no control characters, invalid bytes or direction marks', async () => {
    const nasty = Buffer.from('a\r\nb\tc\u0000\u001b[31m\u007f\u0085\u202e\u2066d\rz', 'utf8');
    const bytes = Buffer.concat([nasty, Buffer.from([0xff, 0xc3])]);
    const { url } = await replying(encoded('identity', bytes));
    const kept = 'a\nb\tc\ufffd\ufffd[31m\ufffd\ufffd\ufffd\ufffdd\ufffdz\ufffd\ufffd';
    expect((await send(url)).responseBody).toBe(kept);
  });

  it('ends on a whole character', async () => {
    const { url } = await replying(plain('200 OK', `a${'🔑'.repeat(1000)}`));
    expect((await send(url)).responseBody).toBe(`a${'🔑'.repeat(511)}`);
  });

  it('contains no secret that the receiver echoes', async () => {
    const longer = `${PLANTED}-and-more`;
    const echo = `${longer} ${BODY} ${'x'.repeat(900)} ${PLANTED} ${BODY}`;
    const { url } = await replying(plain('500 Oops', echo));
    const text = JSON.stringify(await send(url, { redact: [PLANTED, longer] }));
    expect(text).toContain('[removed]');
    expect(text).not.toContain('planted');
    expect(text).not.toContain('and-more');
  });

  it('contains no beginning of a secret at its end', async () => {
    const part = `echo: ${PLANTED.slice(0, 20)}`;
    const { url } = await receiver((socket) =>
      socket.end(`HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n${part}`),
    );
    expect((await send(url, { redact: [PLANTED] })).responseBody).toBe('echo: [removed]');
  });
});

describe('an attempt that cannot be made fails without an exception', () => {
  const unmade = 'the request could not be made from this url and these headers';

  it.each([
    ['not a url', 'the url cannot be read'],
    ['', 'the url cannot be read'],
    ['ftp://127.0.0.1/', unmade],
    ['data:text/plain,x', 'the url cannot be read'],
    ['file:///etc/passwd', 'the url cannot be read'],
  ])('for the URL %j', async (url, error) => {
    expect(await send(url)).toMatchObject({ outcome: 'failed', statusCode: null, error });
  });

  it('for an invalid header, whose value is not in the error', async () => {
    const there = await replying(plain('200 OK'));
    const result = await send(there.url, { headers: { authorization: `${PLANTED}\r\nhost: x` } });
    expect(result).toMatchObject({ outcome: 'failed', error: unmade });
    expect(JSON.stringify(result)).not.toContain('planted');
    expect(there.connections).toBe(0);
  });

  it('for an agent that has been closed', async () => {
    await agent.destroy();
    const { url } = await replying(plain('200 OK'));
    expect(await send(url)).toMatchObject({ outcome: 'failed', statusCode: null });
  });
});
