import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import type { Answer } from '../../kernel/route.ts';
import { AnswerWriter } from './write-answer.ts';

const KEEP_ALIVE_MS = 75_000;

/** What comes back for `request` over a real connection, up to the end of `closing`. */
async function wire(listener: RequestListener, request: string): Promise<string> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
  });
  socket.end(request);
  await once(socket, 'close');
  server.close();
  // The second may turn between the two servers.
  return text.replaceAll(/Date: [^\r]+/g, 'Date');
}

const ordinary =
  (answer: Answer): RequestListener =>
  (_request, response) => {
    response.writeHead(answer.status, answer.headers as string[]);
    response.end(answer.body, answer.encoding ?? 'utf8');
  };

const written =
  (answer: Answer): RequestListener =>
  (_request, response) =>
    new AnswerWriter(KEEP_ALIVE_MS).write(response, answer, systemClock());

const REQUESTS = {
  'kept open': 'POST / HTTP/1.1\r\nHost: x\r\n\r\n',
  'closed after it': 'POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  'of HTTP/1.0': 'POST / HTTP/1.0\r\n\r\n',
  'two in a row': 'POST / HTTP/1.1\r\nHost: x\r\n\r\nPOST / HTTP/1.1\r\nHost: x\r\n\r\n',
};

const answers = fc
  .record({
    status: fc.constantFrom(200, 400, 403, 404, 429),
    body: fc.string({ unit: 'grapheme' }),
  })
  .map(({ status, body }): Answer => {
    const bytes = Buffer.byteLength(body);
    const encoding = bytes === body.length ? 'latin1' : 'utf8';
    const headers = ['content-type', 'application/json', 'content-length', String(bytes)];
    return { status, headers, body, encoding };
  });

it.each(Object.keys(REQUESTS))('writes what Node would write, on a connection %s', async (name) => {
  const request = REQUESTS[name as keyof typeof REQUESTS];
  await fc.assert(
    fc.asyncProperty(answers, async (answer) => {
      expect(await wire(written(answer), request)).toBe(await wire(ordinary(answer), request));
    }),
    { numRuns: 15 },
  );
});

/** What accepts a key says the same in another order. */
it.each(Object.keys(REQUESTS))('accepts as Node would, on a connection %s', async (name) => {
  const request = REQUESTS[name as keyof typeof REQUESTS];
  const body = '{"name":"Flöte"}';
  const length = String(Buffer.byteLength(body));
  const headers = ['content-type', 'application/json', 'content-length', length];
  const answer: Answer = { status: 200, headers: ['x-limit', '7', ...headers], body };
  const key = {
    written: `content-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`,
    encoding: 'utf8' as const,
  };
  const accepting: RequestListener = (_request, response) => {
    const writer = new AnswerWriter(KEEP_ALIVE_MS);
    if (!writer.accept(response, 'x-limit: 7\r\n', key, systemClock()))
      ordinary(answer)(_request, response);
  };
  const lines = (text: string) => text.split('\r\n').sort();
  const accepted = await wire(accepting, request);
  expect(lines(accepted)).toEqual(lines(await wire(ordinary(answer), request)));
  expect(accepted.startsWith('HTTP/1.1 200 OK\r\n')).toBe(true);
  expect(accepted.endsWith(Buffer.from(`\r\n\r\n${body}`).toString('latin1'))).toBe(true);
});

it('tells the second of the answer', async () => {
  const writer = new AnswerWriter(KEEP_ALIVE_MS);
  const answer = { status: 200, headers: ['content-length', '0'], body: '' };
  let now = Date.UTC(2030, 0, 1);
  const dates = new Set<string>();
  for (const stepMs of [0, 999, 1, 60_000]) {
    now += stepMs;
    const server = createServer((_request, response) => writer.write(response, answer, now));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const reply = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    expect(reply.headers.get('date')).toBe(new Date(now).toUTCString());
    dates.add(reply.headers.get('date')!);
    server.closeAllConnections();
    server.close();
  }
  expect(dates.size).toBe(3);
});
