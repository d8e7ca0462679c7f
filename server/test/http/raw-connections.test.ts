import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { drain } from '../../src/app/drain.ts';
import { parseRequest } from '../../src/http/hot-path/request-parser.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

let test: TestApp;
let value: string;
beforeAll(async () => {
  test = await startTestApp();
  value = (await test.client.post('/api-keys', { name: 'Key' })).body.key;
});
afterAll(() => test.close());

/** A connection and the text received over it. */
class Connection {
  readonly socket: Socket;
  text = '';

  constructor() {
    this.socket = connect(Number(new URL(test.url).port), '127.0.0.1').setNoDelay();
    this.socket
      .on('error', () => {})
      .on('data', (piece) => {
        this.text += piece.toString('latin1');
      });
  }

  get statuses(): number[] {
    return [...this.text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  }

  async answered(count: number): Promise<number[]> {
    await expect.poll(() => this.statuses.length).toBe(count);
    return this.statuses;
  }
}

const request = (key = value, accessKey = test.accessKey): string =>
  `POST /api-keys/auth/${key} HTTP/1.1\r\nHost: x\r\nx-api-key: ${accessKey}\r\n\r\n`;
const inBody = (body: string, accessKey = test.accessKey): string =>
  `POST /api-keys/auth HTTP/1.1\r\nHost: x\r\nx-api-key: ${accessKey}\r\n` +
  `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const management = (): string =>
  `GET /projects HTTP/1.1\r\nHost: x\r\nx-api-key: ${test.accessKey}\r\n\r\n`;

/** Whether a sent request is counted soon; the server does not count requests it has not read. */
async function isProcessed(
  outcomes: { readonly valid: number },
  send: () => void,
): Promise<boolean> {
  const before = outcomes.valid;
  send();
  const deadline = performance.now() + 500;
  while (outcomes.valid === before && performance.now() < deadline) await setImmediate();
  return outcomes.valid > before;
}

describe('one connection', () => {
  it('answers validations and other requests in order', async () => {
    const connection = new Connection();
    const requests = [request(), request('unknown-value'), management(), request(), request('x')];
    for (const [n, text] of requests.entries()) {
      connection.socket.write(text);
      await connection.answered(n + 1);
    }
    expect(connection.statuses).toEqual([200, 404, 200, 200, 404]);
    connection.socket.destroy();
  });

  it('answers in order, however the requests are split into chunks', async () => {
    const all = request() + request('unknown-value') + management() + request();
    for (const cut of [0, 1, 10, 100, request().length, request().length + 1]) {
      const connection = new Connection();
      connection.socket.write(all.slice(0, cut));
      await sleep(5);
      connection.socket.write(all.slice(cut));
      expect(await connection.answered(4)).toEqual([200, 404, 200, 200]);
      connection.socket.destroy();
    }
  });

  it('answers 60 requests in one chunk in order, some of them asynchronously', async () => {
    const { body: fresh } = await test.client.post('/access-keys', { name: 'Fresh' });
    const keys = Array.from({ length: 60 }, (_, n) => (n % 3 === 0 ? 'unknown-value' : value));
    const connection = new Connection();
    connection.socket.end(keys.map((key) => request(key, fresh.key)).join(''));
    await once(connection.socket, 'close');
    expect(connection.statuses).toEqual(keys.map((key) => (key === value ? 200 : 404)));
  });

  it('may carry several access keys, some of them revoked or unknown', async () => {
    const { body: fresh } = await test.client.post('/access-keys', { name: 'Fresh' });
    const connection = new Connection();
    for (const [n, accessKey] of [fresh.key, test.accessKey, fresh.key].entries()) {
      connection.socket.write(request(value, accessKey));
      await connection.answered(n + 1);
    }
    await test.client.delete(`/access-keys/${fresh.id}`);
    connection.socket.write(request(value, fresh.key));
    await connection.answered(4);
    connection.socket.write(request(value, 'an-unknown-access-key'));
    expect(await connection.answered(5)).toEqual([200, 200, 200, 401, 401]);
    connection.socket.destroy();
  });

  it('refuses a key that was revoked between two requests', async () => {
    const { body: key } = await test.client.post('/api-keys', { name: 'Key' });
    const connection = new Connection();
    connection.socket.write(request(key.key));
    await connection.answered(1);
    await test.client.delete(`/api-keys/${key.id}`);
    connection.socket.write(request(key.key));
    expect((await connection.answered(2))[1]).not.toBe(200);
    connection.socket.destroy();
  });

  it('is closed after the response if the client has closed its side', async () => {
    const connection = new Connection();
    connection.socket.end(request('unknown-value'));
    await once(connection.socket, 'close');
    expect(connection.statuses).toEqual([404]);
  });

  it('is not read while its client does not read the responses', async () => {
    const connection = new Connection();
    await once(connection.socket, 'connect');
    connection.socket.pause();
    const { outcomes } = test.app.validator;
    // Responses of tens of kilobytes soon fill the kernel buffers.
    const keys = Array(100).fill(value);
    const batch = inBody(JSON.stringify({ keys }));
    let sent = 0;
    for (let isRead = true; isRead; sent++) {
      expect(sent, 'requests read while no response was taken').toBeLessThan(2_000);
      isRead = await isProcessed(outcomes, () => connection.socket.write(batch));
    }
    // Responses to other connections do not overwrite the pending output.
    const others = new Connection();
    others.socket.write(inBody(JSON.stringify({ keys: Array(100).fill('unknown-value') })));
    await others.answered(1);
    connection.socket.resume();
    expect(new Set(await connection.answered(sent))).toEqual(new Set([200]));
    await expect.poll(() => connection.text.match(/"code":"valid"/g)?.length).toBe(100 * sent);
    expect(connection.text).not.toContain('key_not_found');
    expect(others.text.match(/key_not_found/g)).toHaveLength(100);
    for (const { socket } of [connection, others]) socket.destroy();
  });
});

it('a stop does not wait for idle connections', async () => {
  const stopping = await startTestApp();
  const socket = connect(Number(new URL(stopping.url).port), '127.0.0.1');
  socket.write(request('x', stopping.accessKey));
  await once(socket, 'data');
  const closed = once(socket, 'close');
  await stopping.close();
  await closed;
});

it('a stop answers the first request of a connection that was made just before', async () => {
  // A busy machine may send the request too late. Then it is tried again.
  for (let isAnswered = false; !isAnswered; ) {
    const stopping = await startTestApp();
    const { server } = stopping.app.server;
    const socket = connect(Number(new URL(stopping.url).port), '127.0.0.1').on('error', () => {});
    const startedAt = performance.now();
    await once(server, 'connection');
    const drained = drain(server, 480_000);
    while (server.listening) await sleep(1);
    socket.write(request('x', stopping.accessKey));
    const [response] = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
    isAnswered = response instanceof Buffer;
    if (isAnswered) expect(String(response)).toMatch(/^HTTP\/1.1 404.*Connection: close/s);
    else expect(performance.now() - startedAt).toBeGreaterThan(990);
    await drained;
    await stopping.close();
  }
});

it('a stop delivers the pending responses completely to a slow client', async () => {
  const stopping = await startTestApp();
  const { key } = (await stopping.client.post('/api-keys', { name: 'read slowly' })).body;
  const batch = inBody(JSON.stringify({ keys: Array(100).fill(key) }), stopping.accessKey);
  const socket = connect(Number(new URL(stopping.url).port), '127.0.0.1');
  const pieces: Buffer[] = [];
  socket.write(batch);
  pieces.push((await once(socket, 'data'))[0]);
  socket.pause();
  const { outcomes } = stopping.app.validator;
  // One by one, until responses are pending and the server stops reading.
  for (let isRead = true; isRead; ) isRead = await isProcessed(outcomes, () => socket.write(batch));
  const drained = drain(stopping.app.server.server, 480_000);
  await sleep(200);
  const ended = once(socket, 'end');
  socket.on('data', (piece: Buffer) => pieces.push(piece)).resume();
  await Promise.all([ended, drained]);
  expect(String(Buffer.concat(pieces)).match(/"code":"valid"/g)).toHaveLength(outcomes.valid);
  await stopping.close();
});

it('a request with an invalid operator signature gets a 401, even with a valid access key', async () => {
  const signed = request(value).replace('\r\n\r\n', '\r\nx-keyward-operator: 1.2.3.4\r\n\r\n');
  const connection = new Connection();
  // The first request makes Node's parser read the connection.
  connection.socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  await connection.answered(1);
  connection.socket.write(signed);
  expect(await connection.answered(2)).toEqual([200, 401]);
  expect(connection.text).toContain('credential_invalid');
  connection.socket.destroy();
});

/** Responses without the parts that differ between two equal requests. */
const comparable = (text: string): string[] =>
  text
    .replaceAll(/req_\w+/g, 'req')
    .split('\r\n')
    .filter((line) => !/^(date|connection|keep-alive): /i.test(line))
    .map((line) => line.replace(/^[\w-]+:/, (name) => name.toLowerCase()))
    .sort();

/** `rest` is sent after the first response. */
async function answersTo(pieces: readonly string[], rest = ''): Promise<string[]> {
  const connection = new Connection();
  const closed = new Promise((resolve) => connection.socket.once('close', resolve));
  const firstData = new Promise((resolve) => connection.socket.once('data', resolve));
  for (const piece of pieces) {
    connection.socket.write(Buffer.from(piece, 'latin1'));
    await sleep(2);
  }
  // Node does not answer a client that has closed its side.
  await Promise.race([firstData, closed]);
  connection.socket.end(Buffer.from(rest, 'latin1'));
  await closed;
  return comparable(connection.text);
}

const keys = () =>
  fc.constantFrom(value, 'unknown-value', 'x', `${value}x`, encodeURIComponent('flöte'));
/** Repeated, so that most requests stay undamaged. */
const NOTHING: readonly string[] = Array(20).fill('');
const ODD = ['\0', '\r', '\n', '\r\n', '\r\n\r\n', ' ', '\t', ':', ';', ',', '0', 'é', '"', '\\'];

/** A validation in one of its forms, damaged at one position. */
const damaged = () =>
  fc
    .record({
      form: fc.constantFrom('path', 'key', 'keys'),
      keys: fc.array(keys(), { minLength: 1, maxLength: 3 }),
      more: fc.subarray(['Connection: keep-alive', 'x-origin-domain: example.com', 'Accept: */*']),
      odd: fc.constantFrom(...NOTHING, 'Expect: a', 'Transfer-Encoding: identity', 'x-api-key: a'),
      wrongBy: fc.constantFrom(0, 0, 0, 0, 1, -1),
      place: fc.nat(),
      cut: fc.constantFrom(0, 0, 0, 0, 1, 4),
      put: fc.constantFrom(...NOTHING, ...ODD),
    })
    .map(({ form, keys, more, odd, wrongBy, place, cut, put }) => {
      const body =
        form === 'path' ? '' : JSON.stringify(form === 'key' ? { key: keys[0] } : { keys });
      const path = form === 'path' ? `/api-keys/auth/${keys[0]}` : '/api-keys/auth';
      const headers = ['Host: x', `x-api-key: ${test.accessKey}`, ...more];
      if (odd !== '') headers.push(odd);
      if (body !== '')
        headers.push('Content-Type: application/json', `Content-Length: ${body.length + wrongBy}`);
      const whole = `POST ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${body}`;
      const at = place % whole.length;
      return whole.slice(0, at) + put + whole.slice(at + cut);
    });

it('a request read from the socket gets the response that it would get through Node’s parser', async () => {
  let parsed = 0;
  await fc.assert(
    fc.asyncProperty(damaged(), async (text) => {
      const plain = parseRequest(Buffer.from(text, 'latin1'), null);
      if (plain === null) return;
      parsed++;
      const [request, rest] = [text.slice(0, plain.length), text.slice(plain.length)];
      // A request whose first byte arrives alone goes to Node's parser.
      const byNode = await answersTo([request.slice(0, 1), request.slice(1)], rest);
      const ours = await answersTo([text]);
      // Unreadable bytes end the connection, and Node drops the requests in progress.
      if (rest !== '' && ours.length < byNode.length) expect(ours).toEqual(await answersTo([rest]));
      else expect(ours).toEqual(byNode);
    }),
    { numRuns: 500 },
  );
  expect(parsed).toBeGreaterThan(100);
});
