import { describe, expect, it } from 'vitest';
import { plainRequest } from './plain-request.ts';

const HEADERS = 'Host: x\r\nx-api-key: the-access-key\r\n';
const JSON_TYPE = 'Content-Type: application/json\r\n';

const inPath = (headers = HEADERS, rest = ''): Buffer =>
  Buffer.from(`POST /api-keys/auth/a-value HTTP/1.1\r\n${headers}\r\n${rest}`, 'latin1');
const inBody = (body: string, headers = `${HEADERS}${JSON_TYPE}`): Buffer => {
  const length = `Content-Length: ${body.length}\r\n`;
  return Buffer.from(`POST /api-keys/auth HTTP/1.1\r\n${headers}${length}\r\n${body}`, 'latin1');
};

describe('an ordinary validation', () => {
  it('with its value in the path', () => {
    const found = plainRequest(inPath(`${HEADERS}X-Origin-Domain:  example.com \r\n`), null);
    expect(found?.asked).toBe('a-value');
    expect(found?.head).toMatchObject({ credential: 'the-access-key', origin: 'example.com' });
  });

  it('with one value or several in the body', () => {
    expect(plainRequest(inBody('{"key":"one"}'), null)?.asked).toBe('one');
    expect(plainRequest(inBody('{"keys":["one","three"]}'), null)?.asked).toEqual(['one', 'three']);
  });

  it('with headers that other clients send', () => {
    const more = 'accept: */*\r\nuser-agent: a/1 (b)\r\nconnection: Keep-Alive\r\ncookie: a=b\r\n';
    expect(plainRequest(inPath(HEADERS + more), null)).not.toBeNull();
  });

  it('ends where it says, whatever follows', () => {
    for (const piece of [inPath(), inBody('{"key":"one"}')])
      for (const rest of ['', 'P', '{"key":"v"}', String(inPath())]) {
        const found = plainRequest(Buffer.concat([piece, Buffer.from(rest)]), null);
        expect(found?.length).toBe(piece.length);
      }
  });

  it('whose headers are those of the one before is not read again', () => {
    const { head } = plainRequest(inPath(), null)!;
    expect(plainRequest(inPath(), head)!.head).toBe(head);
    expect(plainRequest(inPath(`${HEADERS}a: b\r\n`), head)!.head).not.toBe(head);
    const other = plainRequest(inPath(HEADERS.replace('the-access-key', 'the-access-kez')), head);
    expect(other!.head.credential).toBe('the-access-kez');
  });

  it('leaves no value behind in what is remembered of its headers', () => {
    expect(plainRequest(inBody('{"key":"secret"}'), null)!.head.text).not.toContain('secret');
    expect(plainRequest(inPath(), null)!.head.text).not.toContain('a-value');
  });
});

/** Each of them is for the parser: what it means depends on more than can be seen here. */
const LEFT_ALONE: Record<string, Buffer> = {
  'another method': Buffer.from(`GET /api-keys/auth/v HTTP/1.1\r\n${HEADERS}\r\n`),
  'another path': Buffer.from(`POST /api-keys/authx HTTP/1.1\r\n${HEADERS}\r\n`),
  'a query': Buffer.from(`POST /api-keys/auth/v?a=b HTTP/1.1\r\n${HEADERS}\r\n`),
  'HTTP/1.0': Buffer.from(`POST /api-keys/auth/v HTTP/1.0\r\n${HEADERS}\r\n`),
  'no end': Buffer.from(`POST /api-keys/auth/v HTTP/1.1\r\n${HEADERS}`),
  'no host': inPath('x-api-key: a\r\n'),
  'no headers': inPath(''),
  'a body behind a value in the path': inPath(`${HEADERS}Content-Length: 2\r\n`, '{}'),
  'part of a body': inBody('{"key":"one"}').subarray(0, -1),
  'a body of another type': inBody('{"key":"one"}', `${HEADERS}Content-Type: text/plain\r\n`),
  'a body of no type': inBody('{"key":"one"}', HEADERS),
  'a body spelt otherwise': inBody('{ "key": "one" }'),
  'a signed length': inPath(`${HEADERS}Content-Length: +0\r\n`),
  'a length with a zero before it': inPath(`${HEADERS}Content-Length: 00\r\n`),
  'two lengths': inPath(`${HEADERS}Content-Length: 0\r\nContent-Length: 0\r\n`),
  'two access keys': inPath(`${HEADERS}X-Api-Key: b\r\n`),
  chunks: inPath(`${HEADERS}Transfer-Encoding: chunked\r\n`),
  'an expectation': inPath(`${HEADERS}Expect: 100-continue\r\n`),
  'an upgrade': inPath(`${HEADERS}Upgrade: h2c\r\nConnection: upgrade\r\n`),
  'a connection to be closed': inPath(`${HEADERS}Connection: close\r\n`),
  'a header of our own': inPath(`${HEADERS}x-keyward-operator: a\r\n`),
  'a space before the colon': inPath(`${HEADERS}a : b\r\n`),
  'a folded line': inPath(`${HEADERS}a: b\r\n c\r\n`),
  'a lonely line feed': inPath(`${HEADERS}a: b\nc: d\r\n`),
  'a lonely return': inPath(`${HEADERS}a: b\rc: d\r\n`),
  'a zero byte': inPath(`${HEADERS}a: \0\r\n`),
  'a letter beyond ASCII': inPath(`${HEADERS}a: é\r\n`),
  'a head of more than 4 KB': inPath(`${HEADERS}a: ${'b'.repeat(4096)}\r\n`),
};

it.each(Object.keys(LEFT_ALONE))('leaves a request with %s alone', (name) => {
  expect(plainRequest(LEFT_ALONE[name]!, null)).toBeNull();
});
