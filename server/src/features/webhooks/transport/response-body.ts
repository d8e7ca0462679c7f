import type { Readable } from 'node:stream';

/** The rest is not read. */
const RESPONSE_BYTES_MAX = 16 * 1024;
const KEPT_CHARACTERS = 1024;
/** Up to this many characters of a secret may stay: a short secret, or its beginning at the end of the text. */
const HARMLESS_CHARACTERS = 4;

/** Requests accept no compression. If a response is compressed anyway, its status counts; its body is not shown. */
const COMPRESSED = /gzip|deflate|br|zstd|compress/i;
const COMPRESSED_TEXT = '[not shown: the response is compressed]';

/** Control characters, and marks that change the direction of text. */
const UNSAFE = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;

/** Reads the start of the body into `read`, so that what was received before an error or deadline is kept. */
export async function readResponseBody(body: Readable, read: Buffer[]): Promise<void> {
  let bytes = 0;
  for await (const chunk of body) {
    read.push(chunk.subarray(0, RESPONSE_BYTES_MAX - bytes));
    bytes += chunk.length;
    if (bytes > RESPONSE_BYTES_MAX) return;
  }
}

/** The start of the body as text that is safe to show, without secrets. */
export function responseText(
  bytes: Uint8Array,
  contentEncoding: string,
  redact: readonly string[],
): string {
  if (bytes.length > 0 && COMPRESSED.test(contentEncoding)) return COMPRESSED_TEXT;
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

/** Also removes the beginning of a secret at the end of the text. */
function withoutSecret(text: string, secret: string): string {
  if (secret.length <= HARMLESS_CHARACTERS) return text;
  const whole = text.replaceAll(secret, '[removed]');
  for (let length = secret.length - 1; length > HARMLESS_CHARACTERS; length--)
    if (whole.endsWith(secret.slice(0, length))) return `${whole.slice(0, -length)}[removed]`;
  return whole;
}
