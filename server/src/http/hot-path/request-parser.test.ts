import { describe, expect, it } from 'vitest';
import { parseRequest } from './request-parser.ts';

const HEADERS = 'Host: x\r\nx-api-key: the-access-key\r\n';
const JSON_TYPE = 'Content-Type: application/json\r\n';

const inPath = (headers = HEADERS, rest = ''): Buffer =>
  Buffer.from(`POST /api-keys/auth/a-value HTTP/1.1\r\n${headers}\r\n${rest}`, 'latin1');
const inBody = (body: string, headers = `${HEADERS}${JSON_TYPE}`): Buffer => {
  const length = `Content-Length: ${body.length}\r\n`;
  return Buffer.from(`POST /api-keys/auth HTTP/1.1\r\n${headers}${length}\r\n${body}`, 'latin1');
};

describe('a simple validation', () => {
  it('has its value in the path', () => {
    const found = parseRequest(inPath(`${HEADERS}X-Origin-Domain:  example.com \r\n`), null);
    expect(found?.keys).toBe('a-value');
    expect(found?.head).toMatchObject({ credential: 'the-access-key', origin: 'example.com' });
  });

  it('has one or several values in the body', () => {
    expect(parseRequest(inBody('{"key":"one"}'), null)?.keys).toBe('one');
    expect(parseRequest(inBody('{"keys":["one","three"]}'), null)?.keys).toEqual(['one', 'three']);
  });

  it('may have headers that common clients send', () => {
    const more = 'accept: */*\r\nuser-agent: a/1 (b)\r\nconnection: Keep-Alive\r\ncookie: a=b\r\n';
    expect(parseRequest(inPath(HEADERS + more), null)).not.toBeNull();
  });

  it('ends after its declared length, whatever follows', () => {
    for (const piece of [inPath(), inBody('{"key":"one"}')])
      for (const rest of ['', 'P', '{"key":"v"}', String(inPath())]) {
        const found = parseRequest(Buffer.concat([piece, Buffer.from(rest)]), null);
        expect(found?.length).toBe(piece.length);
      }
  });

  it('reuses the parsed headers of the previous request if they are equal', () => {
    const { head } = parseRequest(inPath(), null)!;
    expect(parseRequest(inPath(), head)!.head).toBe(head);
    expect(parseRequest(inPath(`${HEADERS}a: b\r\n`), head)!.head).not.toBe(head);
    const other = parseRequest(inPath(HEADERS.replace('the-access-key', 'the-access-kez')), head);
    expect(other!.head.credential).toBe('the-access-kez');
  });

  it('keeps no key value in the remembered headers', () => {
    expect(parseRequest(inBody('{"key":"secret"}'), null)!.head.text).not.toContain('secret');
    expect(parseRequest(inPath(), null)!.head.text).not.toContain('a-value');
  });
});

/** Left to Node's parser. */
const LEFT_ALONE: Record<string, Buffer> = {
  'another method': Buffer.from(`GET /api-keys/auth/v HTTP/1.1\r\n${HEADERS}\r\n`),
  'another path': Buffer.from(`POST /api-keys/authx HTTP/1.1\r\n${HEADERS}\r\n`),
  'a query': Buffer.from(`POST /api-keys/auth/v?a=b HTTP/1.1\r\n${HEADERS}\r\n`),
  'HTTP/1.0': Buffer.from(`POST /api-keys/auth/v HTTP/1.0\r\n${HEADERS}\r\n`),
  'incomplete headers': Buffer.from(`POST /api-keys/auth/v HTTP/1.1\r\n${HEADERS}`),
  'no host': inPath('x-api-key: a\r\n'),
  'no headers': inPath(''),
  'a body and a value in the path': inPath(`${HEADERS}Content-Length: 2\r\n`, '{}'),
  'part of a body': inBody('{"key":"one"}').subarray(0, -1),
  'a body of another type': inBody('{"key":"one"}', `${HEADERS}Content-Type: text/plain\r\n`),
  'a body without a type': inBody('{"key":"one"}', HEADERS),
  'a body with other whitespace': inBody('{ "key": "one" }'),
  'a signed length': inPath(`${HEADERS}Content-Length: +0\r\n`),
  'a length with a leading zero': inPath(`${HEADERS}Content-Length: 00\r\n`),
  'two lengths': inPath(`${HEADERS}Content-Length: 0\r\nContent-Length: 0\r\n`),
  'two access keys': inPath(`${HEADERS}X-Api-Key: b\r\n`),
  'chunked encoding': inPath(`${HEADERS}Transfer-Encoding: chunked\r\n`),
  'an expectation': inPath(`${HEADERS}Expect: 100-continue\r\n`),
  'an upgrade': inPath(`${HEADERS}Upgrade: h2c\r\nConnection: upgrade\r\n`),
  'connection: close': inPath(`${HEADERS}Connection: close\r\n`),
  'a header of the server itself': inPath(`${HEADERS}x-keyward-operator: a\r\n`),
  'a space before the colon': inPath(`${HEADERS}a : b\r\n`),
  'a folded line': inPath(`${HEADERS}a: b\r\n c\r\n`),
  'a lone line feed': inPath(`${HEADERS}a: b\nc: d\r\n`),
  'a lone carriage return': inPath(`${HEADERS}a: b\rc: d\r\n`),
  'a NUL byte': inPath(`${HEADERS}a: \0\r\n`),
  'a character outside ASCII': inPath(`${HEADERS}a: é\r\n`),
  'more than 4 KB of headers': inPath(`${HEADERS}a: ${'b'.repeat(4096)}\r\n`),
};

/** Headers that change how a request is read, or that only the server itself may set. */
const SPECIAL_HEADERS = [
  'Transfer-Encoding',
  'Content-Encoding',
  'Trailer',
  'TE',
  'Expect',
  'Upgrade',
  'HTTP2-Settings',
  'Proxy-Connection',
  'X-Keyward-Permission',
];

it.each(SPECIAL_HEADERS)(
  'leaves a request with the header %s alone, whatever its value',
  (name) => {
    for (const value of ['', 'a', 'keep-alive'])
      expect(parseRequest(inPath(`${HEADERS}${name}: ${value}\r\n`), null)).toBeNull();
  },
);

it.each(Object.keys(LEFT_ALONE))('leaves a request with %s alone', (name) => {
  expect(parseRequest(LEFT_ALONE[name]!, null)).toBeNull();
});
