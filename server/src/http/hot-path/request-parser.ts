import { JSON_TYPES, PLAIN_VALUE, parseBody, type RequestedKeys } from './validation-body.ts';

const IN_PATH = 'POST /api-keys/auth/';
const IN_BODY = 'POST /api-keys/auth HTTP/1.1\r\n';
const AFTER_PATH = ' HTTP/1.1\r\n';
const END_OF_HEAD = '\r\n\r\n';

/** Requests with longer headers are left to Node's parser. */
const HEAD_CHARS_MAX = 4096;
/** The headers, and the request line with the longest value. */
const TEXT_CHARS_MAX = HEAD_CHARS_MAX + 512;

/** A header line that every parser reads alike: not folded, no lone CR or LF, plain ASCII. */
const HEADER = /([!#$%&'*+\-.^_`|~0-9A-Za-z]+):([\t\x20-\x7e]*)\r\n/y;

/** The headers of a request that a validation needs. */
export interface ParsedHead {
  /** All headers as received, to recognize them in the next request. */
  readonly text: string;
  readonly credential: string;
  readonly origin: string | undefined;
  readonly traceparent: string | undefined;
  /** 0: no body. */
  readonly bodyLength: number;
}

export interface ParsedRequest {
  readonly head: ParsedHead;
  readonly keys: RequestedKeys;
  /** In bytes; another request may follow. */
  readonly length: number;
}

/**
 * Parses a complete simple validation at the start of a chunk; null for anything else, which is left
 * to Node's parser. It must be stricter than any other HTTP parser: no other parser may read an accepted
 * request as two requests, or as a different one.
 */
export function parseRequest(chunk: Buffer, previous: ParsedHead | null): ParsedRequest | null {
  // Enough for the headers. `parseBody` reads the body from the chunk itself.
  const text = chunk.toString('latin1', 0, TEXT_CHARS_MAX);
  if (text.startsWith(IN_PATH)) {
    const end = text.indexOf(' ', IN_PATH.length);
    if (!text.startsWith(AFTER_PATH, end)) return null;
    const head = headAt(chunk, text, end + AFTER_PATH.length, previous);
    if (head === null || head.bodyLength > 0) return null;
    const value = text.slice(IN_PATH.length, end);
    const length = end + AFTER_PATH.length + head.text.length;
    return PLAIN_VALUE.test(value) ? { head, keys: value, length } : null;
  }
  if (!text.startsWith(IN_BODY)) return null;
  const head = headAt(chunk, text, IN_BODY.length, previous);
  if (head === null || head.bodyLength === 0) return null;
  const start = IN_BODY.length + head.text.length;
  const length = start + head.bodyLength;
  const keys = length <= chunk.length ? parseBody(chunk.subarray(start, length)) : null;
  return keys === null ? null : { head, keys, length };
}

function headAt(
  chunk: Buffer,
  text: string,
  start: number,
  previous: ParsedHead | null,
): ParsedHead | null {
  if (previous !== null && text.startsWith(previous.text, start)) return previous;
  const end = text.indexOf(END_OF_HEAD, start) + END_OF_HEAD.length;
  if (end <= start || end - start > HEAD_CHARS_MAX) return null;
  // A new string: a slice would keep the whole text alive, and with it the user's key.
  return readHead(chunk.toString('latin1', start, end));
}

/** Null if a header affects the parsing of the request or the identity of the caller. */
function readHead(text: string): ParsedHead | null {
  const found = new Map<string, string>();
  HEADER.lastIndex = 0;
  let end = 0;
  while (!text.startsWith('\r\n', end)) {
    const [, name, value] = HEADER.exec(text) ?? [];
    if (name === undefined) return null;
    end = HEADER.lastIndex;
    const lower = name.toLowerCase();
    // Leaves repeated headers to the router.
    if (found.has(lower)) return null;
    found.set(lower, value!.trim());
  }
  if (!found.has('host') || [...found.keys()].some(isSpecial)) return null;
  if ((found.get('connection') ?? 'keep-alive').toLowerCase() !== 'keep-alive') return null;
  const length = found.get('content-length') ?? '0';
  if (!/^(0|[1-9]\d{0,6})$/.test(length)) return null;
  const bodyLength = Number(length);
  if (bodyLength > 0 && !JSON_TYPES.has(found.get('content-type') ?? '')) return null;
  const credential = found.get('x-api-key') ?? '';
  // The access key is in `Authorization`: the router reads it.
  if (credential === '' && found.has('authorization')) return null;
  return {
    text,
    credential,
    origin: found.get('x-origin-domain'),
    traceparent: found.get('traceparent'),
    bodyLength,
  };
}

const SPECIAL = new Set([
  'transfer-encoding',
  'content-encoding',
  'trailer',
  'te',
  'expect',
  'upgrade',
  'http2-settings',
  'proxy-connection',
]);

const isSpecial = (name: string): boolean => SPECIAL.has(name) || name.startsWith('x-keyward-');
