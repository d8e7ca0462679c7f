import { pipeline, type Readable, type Transform } from 'node:stream';
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib';

/** Limit for decoded bytes, and for received ones, which can decode to nothing. The rest is not read. */
const RESPONSE_BYTES_MAX = 16 * 1024;
const KEPT_CHARACTERS = 1024;
/** Up to this many characters of a secret may stay: a short secret, or its beginning at the end of the text. */
const HARMLESS_CHARACTERS = 4;

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/** Control characters, and marks that change the direction of text. */
const UNSAFE = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;

/** Reads the start of the body into `read`, so that what was received before an error or deadline is kept. */
export async function readResponseBody(
  body: Readable,
  contentEncoding: string | readonly string[] | undefined,
  read: Buffer[],
): Promise<void> {
  let bytes = 0;
  for await (const chunk of decoded(body, contentEncoding)) {
    read.push(chunk.subarray(0, RESPONSE_BYTES_MAX - bytes));
    bytes += chunk.length;
    if (bytes > RESPONSE_BYTES_MAX) return;
  }
}

/** The start of the body as text that is safe to show, without secrets. */
export function safeText(bytes: Uint8Array, redact: readonly string[]): string {
  let text = new TextDecoder().decode(bytes);
  // Longest first: a shorter one may be the beginning of a longer one.
  for (const secret of redact.toSorted((a, b) => b.length - a.length))
    text = withoutSecret(text, secret);
  const shown = text.replaceAll('\r\n', '\n').replace(UNSAFE, (mark) => {
    return mark === '\n' || mark === '\t' ? mark : '\ufffd';
  });
  // Do not cut a surrogate pair.
  return shown.slice(0, KEPT_CHARACTERS).replace(/[\ud800-\udbff]$/, '');
}

function decoded(
  body: Readable,
  contentEncoding: string | readonly string[] | undefined,
): AsyncIterable<Buffer> {
  const encoding = String(contentEncoding ?? '')
    .trim()
    .toLowerCase();
  // The body is kept as it is if its encoding is not known.
  const decoder = DECODERS[encoding]?.();
  if (decoder === undefined) return body;
  // `pipeline` needs a callback; the error also reaches the reader of the decoder.
  return pipeline(body, capped, decoder, () => {});
}

async function* capped(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of source) {
    yield chunk.subarray(0, RESPONSE_BYTES_MAX - bytes);
    bytes += chunk.length;
    if (bytes > RESPONSE_BYTES_MAX) return;
  }
}

/** Also removes the beginning of a secret at the end of the text. */
function withoutSecret(text: string, secret: string): string {
  if (secret.length <= HARMLESS_CHARACTERS) return text;
  const whole = text.replaceAll(secret, '[removed]');
  for (let length = secret.length - 1; length > HARMLESS_CHARACTERS; length--)
    if (whole.endsWith(secret.slice(0, length))) return `${whole.slice(0, -length)}[removed]`;
  return whole;
}
