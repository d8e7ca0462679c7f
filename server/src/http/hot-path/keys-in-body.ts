import type { IncomingMessage } from 'node:http';
import { BATCH_MAX } from '../../features/validation/index.ts';
import { BODY_BYTES_MAX } from '../body-parser.ts';

/** Needs no decoding, in a path or in JSON. */
export const PLAIN_VALUE = /^[A-Za-z0-9._~-]{1,256}$/;

/** As JSON.stringify writes them; any other spelling goes the long way. */
const ONE_KEY = /^\{"key":"([A-Za-z0-9._~-]{1,256})"\}$/;
const KEYS = /^\{"keys":\["([A-Za-z0-9._~-]{1,256}(?:","[A-Za-z0-9._~-]{1,256})*)"\]\}$/;

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
    const asked = chunk.length === length ? askedIn(chunk.toString('latin1')) : null;
    if (asked !== null && answers(asked)) return;
    request.pause();
    request.unshift(chunk);
    otherwise();
  });
}

export function askedIn(text: string): Asked | null {
  const one = ONE_KEY.exec(text);
  if (one !== null) return one[1]!;
  const several = KEYS.exec(text)?.[1]?.split('","') ?? null;
  return several !== null && several.length <= BATCH_MAX ? several : null;
}
