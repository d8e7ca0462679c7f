import { type Asked, askedIn, JSON_TYPES, PLAIN_VALUE } from './keys-in-body.ts';

const IN_PATH = 'POST /api-keys/auth/';
const IN_BODY = 'POST /api-keys/auth HTTP/1.1\r\n';
const AFTER_PATH = ' HTTP/1.1\r\n';
const END_OF_HEAD = '\r\n\r\n';

/** A longer one is not an ordinary one, and is not remembered. */
const HEAD_CHARS_MAX = 4096;
/** A head, and the line before it with a value of any length that is taken. */
const TEXT_CHARS_MAX = HEAD_CHARS_MAX + 512;

/** One header as every reader understands it: no folded line, no lonely return, plain ASCII. */
const HEADER = /([!#$%&'*+\-.^_`|~0-9A-Za-z]+):([\t\x20-\x7e]*)\r\n/y;

/** The headers of a request, as far as a validation asks. */
export interface PlainHead {
  /** As they came, up to where the body begins: the next request is likely to bring the same. */
  readonly text: string;
  readonly credential: string;
  readonly origin: string | undefined;
  /** 0: no body. */
  readonly bodyLength: number;
}

export interface PlainRequest {
  readonly head: PlainHead;
  readonly asked: Asked;
  /** How many bytes it takes; another may follow. */
  readonly length: number;
}

/**
 * Reads what a piece begins with as one whole, ordinary validation; null for anything else, which is
 * for a real HTTP parser to judge. So this must be narrower than the parser, and is never more
 * lenient: nothing that it takes could be read as two requests, or as another one, by anybody.
 */
export function plainRequest(piece: Buffer, before: PlainHead | null): PlainRequest | null {
  // A long body is read from its bytes.
  const text = piece.toString('latin1', 0, TEXT_CHARS_MAX);
  if (text.startsWith(IN_PATH)) {
    const end = text.indexOf(' ', IN_PATH.length);
    if (!text.startsWith(AFTER_PATH, end)) return null;
    const head = headAt(piece, text, end + AFTER_PATH.length, before);
    if (head === null || head.bodyLength > 0) return null;
    const value = text.slice(IN_PATH.length, end);
    const length = end + AFTER_PATH.length + head.text.length;
    return PLAIN_VALUE.test(value) ? { head, asked: value, length } : null;
  }
  if (!text.startsWith(IN_BODY)) return null;
  const head = headAt(piece, text, IN_BODY.length, before);
  if (head === null || head.bodyLength === 0) return null;
  const start = IN_BODY.length + head.text.length;
  const length = start + head.bodyLength;
  const asked = length <= piece.length ? askedIn(piece.subarray(start, length)) : null;
  return asked === null ? null : { head, asked, length };
}

function headAt(
  piece: Buffer,
  text: string,
  start: number,
  before: PlainHead | null,
): PlainHead | null {
  if (before !== null && text.startsWith(before.text, start)) return before;
  const end = text.indexOf(END_OF_HEAD, start) + END_OF_HEAD.length;
  if (end <= start || end - start > HEAD_CHARS_MAX) return null;
  // A text of its own: a part of the whole would keep the whole, and with it the user's key.
  return readHead(piece.toString('latin1', start, end));
}

/** Null where a header is there that changes how the request is to be read, or who sent it. */
function readHead(text: string): PlainHead | null {
  const found = new Map<string, string>();
  HEADER.lastIndex = 0;
  let end = 0;
  while (!text.startsWith('\r\n', end)) {
    const [, name, value] = HEADER.exec(text) ?? [];
    if (name === undefined) return null;
    end = HEADER.lastIndex;
    const lower = name.toLowerCase();
    // Whatever comes twice: which of the two counts is not for here to say.
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
  return { text, credential, origin: found.get('x-origin-domain'), bodyLength };
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
