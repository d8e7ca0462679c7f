import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bodyHeaders } from '../../features/validation/wire/body-headers.ts';
import type { RouteResponse } from '../../kernel/route.ts';
import { ResponseText } from './response-text.ts';
import { NodeResponseWriter } from './response-writer.ts';

const KEEP_ALIVE_MS = 75_000;

/** The bytes that Node sends for a response on a connection that stays open. */
async function byNode(routeResponse: RouteResponse): Promise<string> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (_request, response) =>
    new NodeResponseWriter(response).send(routeResponse),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let text = '';
  socket.setEncoding('latin1').on('data', (piece: string) => {
    text += piece;
  });
  socket.end('POST / HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'close');
  server.close();
  return text;
}

const bytesOf = (text: string, encoding: 'latin1' | 'utf8' = 'utf8'): string =>
  Buffer.from(text, encoding).toString('latin1');

/** Without the date: the second may change between two responses. */
const undated = (text: string): string => text.replace(/Date: [^\r]+/, 'Date');

const responses = fc
  .record({
    status: fc.constantFrom(200, 400, 403, 404, 429),
    body: fc.string({ unit: 'grapheme' }),
  })
  .map(({ status, body }): RouteResponse => {
    const bytes = Buffer.byteLength(body);
    const encoding = bytes === body.length ? 'latin1' : 'utf8';
    const headers = ['content-type', 'application/json', 'content-length', String(bytes)];
    return { status, headers, body, encoding };
  });

it('formats a response as Node does', async () => {
  const texts = new ResponseText(KEEP_ALIVE_MS);
  await fc.assert(
    fc.asyncProperty(responses, async (response) => {
      const text = bytesOf(texts.format(response, Date.now()), response.encoding);
      expect(undated(text)).toBe(undated(await byNode(response)));
    }),
    { numRuns: 40 },
  );
});

it('formats a successful validation with the same headers, in another order', async () => {
  const body = '{"name":"Flöte"}';
  const bodyBytes = Buffer.byteLength(body);
  const headers = ['x-limit', '7', ...bodyHeaders(bodyBytes)];
  const response: RouteResponse = { status: 200, headers, body };
  const texts = new ResponseText(KEEP_ALIVE_MS);
  const accepted = bytesOf(texts.formatAccepted('x-limit: 7\r\n', { body, bodyBytes }, Date.now()));
  const lines = (text: string) => undated(text).split('\r\n').sort();
  expect(lines(accepted)).toEqual(lines(await byNode(response)));
  expect(accepted.startsWith('HTTP/1.1 200 OK\r\n')).toBe(true);
  expect(accepted.endsWith(bytesOf(`\r\n\r\n${body}`))).toBe(true);
});

it('has the current second in the Date header', () => {
  const texts = new ResponseText(KEEP_ALIVE_MS);
  const response = { status: 200, headers: ['content-length', '0'], body: '' };
  let now = Date.UTC(2030, 0, 1);
  const dates = [0, 999, 1, 60_000].map((stepMs) => {
    now += stepMs;
    const [, date] = /Date: ([^\r]+)/.exec(texts.format(response, now))!;
    expect(date).toBe(new Date(now).toUTCString());
    return date;
  });
  expect(new Set(dates).size).toBe(3);
});
