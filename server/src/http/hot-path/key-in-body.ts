import type { IncomingMessage } from 'node:http';

/** As JSON.stringify writes it; any other spelling goes the long way. */
const ONE_KEY = /^\{"key":"([A-Za-z0-9._~-]{1,256})"\}$/;
const LENGTH_MAX = 270;
const JSON_TYPES = new Set([
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=utf-8',
]);

/**
 * The one key in the body of a request; null where the body is anything else, or comes in pieces.
 * Whatever was read is put back then, so that the long way reads it as if nobody had been there.
 */
export function keyInBody(request: IncomingMessage, use: (value: string | null) => void): void {
  const { headers } = request;
  const length = Number(headers['content-length']);
  if (
    !(length > 0 && length <= LENGTH_MAX) ||
    headers['transfer-encoding'] !== undefined ||
    headers['content-encoding'] !== undefined ||
    headers.expect !== undefined ||
    !JSON_TYPES.has(headers['content-type'] ?? '')
  ) {
    use(null);
    return;
  }
  request.once('data', (chunk: Buffer) => {
    const value = chunk.length === length ? ONE_KEY.exec(chunk.toString('latin1'))?.[1] : undefined;
    if (value === undefined) {
      request.pause();
      request.unshift(chunk);
    }
    use(value ?? null);
  });
}
