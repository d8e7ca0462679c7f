import { pipeline, type Readable, type Transform } from 'node:stream';
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib';
import { AnswerError } from './errors.ts';

/** Of what is decoded, and also of what arrives: an encoding can be made to yield nothing. */
const ANSWER_BYTES_MAX = 16 * 1024;
const KEPT_CHARACTERS = 1024;
/** Shorter ends of a secret tell nobody anything; longer ones are not kept. */
const TELLING_CHARACTERS = 4;

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/** Control characters but line feed and tab, and the marks that reverse what a person reads. */
const UNSAFE = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;

/** Reads the body into `read`, so that a caller who stops waiting still has what came so far. */
export async function readAnswerBody(
  body: Readable,
  contentEncoding: string | readonly string[] | undefined,
  read: Buffer[],
): Promise<void> {
  let bytes = 0;
  for await (const chunk of decoded(body, contentEncoding)) {
    read.push(chunk.subarray(0, ANSWER_BYTES_MAX - bytes));
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) throw tooLarge();
  }
}

/** The start of the body as text that can be shown anywhere, without what must not be kept. */
export function safeText(bytes: Uint8Array, redact: readonly string[]): string {
  let text = new TextDecoder().decode(bytes);
  // The longer first: a shorter one may be its beginning.
  for (const secret of redact.toSorted((a, b) => b.length - a.length))
    text = withoutSecret(text, secret);
  const shown = text.replaceAll('\r\n', '\n').replace(UNSAFE, (mark) => {
    return mark === '\n' || mark === '\t' ? mark : '\ufffd';
  });
  // A character of two units must not be cut in half.
  return shown.slice(0, KEPT_CHARACTERS).replace(/[\ud800-\udbff]$/, '');
}

function decoded(
  body: Readable,
  contentEncoding: string | readonly string[] | undefined,
): AsyncIterable<Buffer> {
  const encoding = String(contentEncoding ?? 'identity')
    .trim()
    .toLowerCase();
  if (encoding === 'identity' || encoding === '') return body;
  const decoder = DECODERS[encoding]?.();
  if (decoder === undefined) throw new AnswerError('the answer is in an encoding nobody asked for');
  // The callback is for `pipeline` only: the failure reaches the reader of the decoder as well.
  return pipeline(body, capped, decoder, () => {});
}

async function* capped(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) throw tooLarge();
    yield chunk;
  }
}

/** Also when the text breaks off in the middle of the secret. */
function withoutSecret(text: string, secret: string): string {
  if (secret.length <= TELLING_CHARACTERS) return text;
  const whole = text.replaceAll(secret, '[removed]');
  for (let length = secret.length - 1; length > TELLING_CHARACTERS; length--)
    if (whole.endsWith(secret.slice(0, length))) return `${whole.slice(0, -length)}[removed]`;
  return whole;
}

const tooLarge = (): AnswerError => new AnswerError('the answer is larger than 16 KB');
