import type { IncomingMessage } from 'node:http';
import { BATCH_MAX } from '../../features/validation/index.ts';
import { BODY_BYTES_MAX } from '../body-parser.ts';

/** As JSON.stringify writes them; any other spelling goes the long way. */
const ONE_KEY = /^\{"key":"([A-Za-z0-9._~-]{1,256})"\}$/;
const KEYS = /^\{"keys":\["([A-Za-z0-9._~",-]+)"\]\}$/;
const PLAIN_VALUE = /^[A-Za-z0-9._~-]{1,256}$/;

const JSON_TYPES = new Set([
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=utf-8',
]);

/** The plain key, or the plain keys, that a body asks about; null where it says anything else. */
export type Asked = string | readonly string[] | null;

/**
 * Reads the body of a request that comes in one piece. Whatever is unusual about it is put back, so
 * that the long way reads it as if nobody had been there.
 */
export function keysInBody(request: IncomingMessage, use: (asked: Asked) => void): void {
  const { headers } = request;
  const length = Number(headers['content-length']);
  if (
    !(length > 0 && length <= BODY_BYTES_MAX) ||
    headers['transfer-encoding'] !== undefined ||
    headers['content-encoding'] !== undefined ||
    headers.expect !== undefined ||
    !JSON_TYPES.has(headers['content-type'] ?? '')
  ) {
    use(null);
    return;
  }
  request.once('data', (chunk: Buffer) => {
    const asked = chunk.length === length ? askedIn(chunk.toString('latin1')) : null;
    if (asked === null) {
      request.pause();
      request.unshift(chunk);
    }
    use(asked);
  });
}

function askedIn(text: string): Asked {
  const one = ONE_KEY.exec(text);
  if (one !== null) return one[1]!;
  const several = KEYS.exec(text)?.[1]?.split('","') ?? [];
  if (several.length === 0 || several.length > BATCH_MAX) return null;
  return several.every((key) => PLAIN_VALUE.test(key)) ? several : null;
}
