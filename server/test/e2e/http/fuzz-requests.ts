import type { Route } from '../../../src/kernel/route.ts';
import type { SeededRandom } from '../../harness/seeded-random.ts';
import { type FuzzValues, type JsonSchema, NASTY_TEXTS } from './fuzz-values.ts';

export interface FuzzRequest {
  readonly method: string;
  readonly bytes: Buffer;
}

const METHODS = ['GET', 'POST', 'PATCH', 'DELETE', 'PUT', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY'];

const CONTENT_TYPES = [
  'application/json; charset=utf-8',
  'application/json;charset=latin1',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json/json',
  ';',
];

const HEADERS = [
  'Authorization: Bearer no-such-credential',
  'Authorization: Basic YTpi',
  'X-Origin-Domain: app.example.com:99999',
  'X-Origin-Domain: ',
  'Idempotency-Key: again',
  'Idempotency-Key: with space',
  'X-Forwarded-For: 10.0.0.1, evil',
  'X-Keyward-Operator: 1.signature',
  'X-Keyward-Operator: NaN',
  'Accept: text/html',
  'Accept-Encoding: gzip, br',
  'Expect: 100-continue',
  'Expect: the-unexpected',
  'Upgrade: h2c',
  'Cookie: a=b; =; ;',
  'Range: bytes=0-1',
  'If-None-Match: *',
  'X-HTTP-Method-Override: DELETE',
  'Host: second.example',
  'Content-Length: 0',
];

/** Requests with valid framing: only their content may be invalid. */
export class FuzzRequests {
  readonly #random: SeededRandom;
  readonly #values: FuzzValues;
  readonly #routes: readonly Route[];
  readonly #credentials: readonly string[];

  constructor(
    random: SeededRandom,
    values: FuzzValues,
    routes: readonly Route[],
    credentials: readonly string[],
  ) {
    this.#random = random;
    this.#values = values;
    this.#routes = routes;
    this.#credentials = credentials;
  }

  next(): FuzzRequest {
    const random = this.#random;
    const route = random.pick(this.#routes);
    this.#values.begin();
    const method = random.chance(0.95) ? route.method : random.pick(METHODS);
    const target = this.#target(route);
    const body = this.#body(route);
    const lines = [`${method} ${target} HTTP/1.1`, 'Host: fuzz.example', ...this.#headers(body)];
    const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
    return { method, bytes: Buffer.concat([head, body]) };
  }

  /** A request with corrupted bytes or framing. */
  broken(): Buffer {
    const random = this.#random;
    if (random.chance(0.2)) return this.#noise(1 + random.below(400));
    const { method, bytes } = this.next();
    // Responses to HEAD have no body, so several of them could not be separated.
    if (method === 'HEAD') return this.broken();
    const choice = random.below(4);
    if (choice === 0) return bytes.subarray(0, random.below(bytes.length));
    if (choice === 1) {
      const at = random.below(bytes.length);
      return Buffer.concat([bytes.subarray(0, at), this.#noise(8), bytes.subarray(at)]);
    }
    const copy = Buffer.from(bytes);
    for (let n = 0; n <= random.below(4); n++) copy[random.below(copy.length)] = random.below(256);
    return choice === 2 ? copy : Buffer.concat([copy, bytes]);
  }

  #noise = (length: number): Buffer =>
    Buffer.from(Array.from({ length }, () => this.#random.below(256)));

  #target(route: Route): string {
    const random = this.#random;
    const path = route.path.replaceAll(/:\w+/g, () => this.#segment());
    const names = Object.keys(((route.query ?? {}) as JsonSchema).properties ?? { key: {} });
    const pairs = Array.from(
      { length: random.chance(0.3) ? 1 + random.below(3) : 0 },
      () => `${random.chance(0.9) ? random.pick(names) : this.#segment()}=${this.#segment()}`,
    );
    const query = pairs.length === 0 ? '' : `?${pairs.join('&')}`;
    const odd = random.chance(0.03) ? random.pick(['//', '/./', '/%2e%2e/', '#', '?', ';a=b']) : '';
    const origin = random.chance(0.01) ? 'http://evil.example' : '';
    return `${origin}${path}${odd}${query}`;
  }

  /** Usually percent-encoded; otherwise raw, without characters that would end the line. */
  #segment(): string {
    const text = this.#values.text();
    if (this.#random.chance(0.7)) return encodeURIComponent(text.toWellFormed()) || 'x';
    return inOneLine(text).replaceAll(/[^!-~]/g, '') || 'x';
  }

  #body(route: Route): Buffer {
    const random = this.#random;
    if (route.body === undefined) return Buffer.from(random.chance(0.9) ? '' : '{}');
    const text = Buffer.from(this.#values.json(route.body as JsonSchema));
    if (text.length === 0 || random.chance(0.9)) return text;
    text[random.below(text.length)] = random.below(256);
    return random.chance(0.1) ? Buffer.concat([text, Buffer.alloc(70_000, 0x20)]) : text;
  }

  #headers(body: Buffer): string[] {
    const random = this.#random;
    const headers: string[] = [];
    if (random.chance(0.9)) headers.push(`x-api-key: ${this.#credential()}`);
    if (body.length > 0 || random.chance(0.1)) {
      const type = random.chance(0.95) ? 'application/json' : random.pick(CONTENT_TYPES);
      headers.push(`Content-Type: ${type}`, `Content-Length: ${body.length}`);
    }
    while (random.chance(0.1)) headers.push(random.pick(HEADERS));
    if (random.chance(0.01)) headers.push(`X-Long: ${'x'.repeat(20_000)}`);
    return headers;
  }

  #credential(): string {
    if (this.#random.chance(0.95)) return this.#random.pick(this.#credentials);
    const text = this.#random.pick(NASTY_TEXTS);
    return inOneLine(text);
  }
}

/** UTF-8 bytes of a header value, without those that end the line or the request. */
const inOneLine = (text: string): string =>
  String.fromCharCode(...Buffer.from(text).filter((byte) => byte >= 0x20 && byte !== 0x7f));
