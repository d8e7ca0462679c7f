import type { SeededRandom } from '../../harness/seeded-random.ts';

const METHODS = ['GET', 'POST', 'PATCH', 'DELETE', 'PUT', 'HEAD', 'OPTIONS', 'TRACE', 'CONNECT'];
const ODD_METHODS = ['PRI', 'QUERY', 'M-SEARCH', 'SOURCE', 'get', 'G\xffT', ''];
const ODD_TARGETS = ['*', 'example.com:443', 'http://a/healthz', '//', '/\xff', '/%', '/%ff', '?'];
const VERSIONS = ['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/9'];

/** Headers that change how a request is parsed, and values that a handler may fail on. */
const HEADERS = [
  'Trailer: X',
  'Trailer: Content-Length, Host',
  'TE: trailers, chunked',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: chunked, chunked',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding: identity',
  'Transfer-Encoding:\tchunked',
  'Content-Length: 0',
  'Content-Length: 5',
  'Content-Length: 99999999999999999999',
  'Content-Length: -1',
  'Content-Length: 1, 1',
  'Content-Encoding: gzip',
  'Content-Type: application/json',
  'Content-Type: \xff',
  'Connection: close',
  'Connection: keep-alive, Upgrade, HTTP2-Settings',
  'Connection: \xff',
  'Keep-Alive: timeout=0, max=0',
  'Upgrade: websocket',
  'Upgrade: h2c',
  'HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Expect: 100-continue',
  'Expect: 200-maybe',
  'Host: \xff',
  'Host: a, b',
  'X-Odd: \xff',
  'X-Odd: \x80\x81',
  'X-Odd: a\x00b',
  'X-Odd: a\rb',
  'X-Odd: a\r\n folded',
  'X-Origin-Domain: \xff',
  'X-Api-Key: \xff',
  'Authorization: Bearer \xff',
  'Cookie: \xff=\xff; keyward_session=\xff',
  'Accept: \xff',
  'Accept: text/csv, application/x-ndjson',
  'Idempotency-Key: \xff',
  'Last-Event-ID: \xff',
  'X-Forwarded-For: \xff, ,',
  'X-Keyward-Operator: \xff',
  'X-Keyward-Key: \xff',
  'User-Agent: \xff',
  'Origin: \xff',
  'Range: bytes=0-',
  'If-None-Match: \xff',
  ': empty',
  'No-Colon',
  'Space : before',
  `X-Long: ${'x'.repeat(17_000)}`,
];

const BODIES = [
  '',
  '',
  'hello',
  '{}',
  '{"key":"a"}',
  '{"keys":["a","b"]}',
  '{"key":"a","lease":1}',
  '{"name":"\\ud800"}',
  '\xff\xfe',
  '5\r\nhello\r\n0\r\n\r\n',
  '5\r\nhello\r\n0\r\nX: \xff\r\nHost: again\r\n\r\n',
  '5;ext="\xff"\r\nhello\r\n0\r\n\r\n',
  'fffffffffffffffff\r\n',
  '-1\r\n\r\n',
  '0\r\nContent-Length: 5\r\n\r\nhello',
];

/** One input, and how the client sends it. */
export interface OddInput {
  readonly pieces: readonly Buffer[];
  /** What the client does after sending: closes its side, waits briefly, or resets the connection. */
  readonly ending: 'end' | 'wait' | 'reset';
}

/** Random combinations of requests that are known to break HTTP servers. */
export class OddRequests {
  readonly #random: SeededRandom;
  readonly #paths: readonly string[];
  readonly #credential: string;

  constructor(random: SeededRandom, paths: readonly string[], credential: string) {
    this.#random = random;
    this.#paths = paths;
    this.#credential = credential;
  }

  next(): OddInput {
    const random = this.#random;
    let text = this.#request();
    while (random.chance(0.2)) text += this.#request();
    const bytes = Buffer.from(text, 'latin1');
    if (random.chance(0.1)) bytes[random.below(bytes.length)] = random.below(256);
    const cut = random.chance(0.3) ? random.below(bytes.length) : bytes.length;
    const pieces = [bytes.subarray(0, cut), bytes.subarray(cut)].filter(({ length }) => length > 0);
    if (random.chance(0.1)) pieces.pop();
    return { pieces, ending: random.pick(['end', 'end', 'wait', 'reset']) };
  }

  #request(): string {
    const random = this.#random;
    const method = random.pick(random.chance(0.9) ? METHODS : ODD_METHODS);
    const target = random.chance(0.9) ? this.#path() : random.pick(ODD_TARGETS);
    const version = random.pick(VERSIONS);
    const headers: string[] = [];
    if (random.chance(0.9)) headers.push('Host: odd.example');
    if (random.chance(0.8)) headers.push(`x-api-key: ${this.#credential}`);
    while (random.chance(0.6)) headers.push(random.pick(HEADERS));
    const body = random.pick(BODIES);
    if (body !== '' && random.chance(0.4))
      headers.push('Content-Type: application/json', `Content-Length: ${body.length}`);
    return `${[`${method} ${target} ${version}`, ...headers].join('\r\n')}\r\n\r\n${body}`;
  }

  #path(): string {
    const random = this.#random;
    const filled = random.pick(this.#paths).replaceAll(/:\w+/g, () => random.pick(SEGMENTS));
    return random.chance(0.1) ? `${filled}?${random.pick(SEGMENTS)}=\xff` : filled;
  }
}

const SEGMENTS = [
  'a',
  'key_00000000000000000000000000',
  '%ff',
  '%00',
  '\xff',
  '../..',
  'x'.repeat(300),
];
