import type { IncomingMessage } from 'node:http';
import { BATCH_MAX } from '../../features/validation/index.ts';
import { BODY_BYTES_MAX } from '../body-parser.ts';

/** Needs no decoding, in a path or in JSON. */
export const PLAIN_VALUE = /^[A-Za-z0-9._~-]{1,256}$/;

/** As JSON.stringify writes them; any other spelling goes the long way. */
const ONE_KEY = /^\{"key":"([A-Za-z0-9._~-]{1,256})"\}$/;
const KEYS_START = '{"keys":["';
const KEYS_END = '"]}';
const VALUE_LENGTH_MAX = 256;
const ONE_KEY_BYTES_MAX = '{"key":""}'.length + VALUE_LENGTH_MAX;

export const JSON_TYPES: ReadonlySet<string> = new Set([
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=utf-8',
]);

/** The plain key, or the plain keys, that a body asks about. */
export type Asked = string | readonly string[];

/**
 * Reads the body of a request that comes in one piece. Whatever `answers` does not answer is put
 * back, so that the long way reads it as if nobody had been there.
 */
export function keysInBody(
  request: IncomingMessage,
  answers: (asked: Asked) => boolean,
  otherwise: () => void,
): void {
  const { headers } = request;
  const length = Number(headers['content-length']);
  if (
    !(length > 0 && length <= BODY_BYTES_MAX) ||
    headers['transfer-encoding'] !== undefined ||
    headers['content-encoding'] !== undefined ||
    headers.expect !== undefined ||
    !JSON_TYPES.has(headers['content-type'] ?? '')
  ) {
    otherwise();
    return;
  }
  request.once('data', (chunk: Buffer) => {
    const asked = chunk.length === length ? askedIn(chunk) : null;
    if (asked !== null && answers(asked)) return;
    request.pause();
    request.unshift(chunk);
    otherwise();
  });
}

export function askedIn(body: Buffer): Asked | null {
  if (body.toString('latin1', 0, KEYS_START.length) === KEYS_START)
    return severalIn(body.toString('latin1'));
  if (body.length > ONE_KEY_BYTES_MAX) return null;
  return ONE_KEY.exec(body.toString('latin1'))?.[1] ?? null;
}

/**
 * With one array that ends where the body does, without escapes and in ASCII alone, JSON.parse
 * reads what the strict parser would: there is no room for a second field.
 */
function severalIn(text: string): readonly string[] | null {
  const isSimple =
    text.startsWith(KEYS_START) &&
    text.endsWith(KEYS_END) &&
    text.indexOf('[', KEYS_START.length) === -1 &&
    !text.includes('\\') &&
    Buffer.byteLength(text) === text.length;
  if (!isSimple) return null;
  try {
    const { keys } = JSON.parse(text) as { readonly keys: readonly unknown[] };
    return keys.length <= BATCH_MAX && keys.every(isValue) ? (keys as string[]) : null;
  } catch {
    return null;
  }
}

const isValue = (value: unknown): boolean =>
  typeof value === 'string' && value.length > 0 && value.length <= VALUE_LENGTH_MAX;
