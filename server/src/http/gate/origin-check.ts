import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { KeywardError } from '../../kernel/errors.ts';

/**
 * Protects against cross-site request forgery: a request with a session cookie that changes something
 * must come from our own pages, as `Sec-Fetch-Site` or, in older browsers, `Origin` shows. A request
 * with neither header is rejected; programs use access keys.
 */
export function rejectCrossSite({ headers }: IncomingMessage, publicUrl: string): void {
  const site = headers['sec-fetch-site'];
  const isOurs = site === undefined ? isOwnOrigin(headers, publicUrl) : site === 'same-origin';
  if (!isOurs) throw new KeywardError('origin_denied');
}

/** `Origin` is this server, by its public URL or by the host that the request was sent to. */
export function isOwnOrigin(
  { origin = '', host }: IncomingHttpHeaders,
  publicUrl: string,
): boolean {
  if (origin === '') return false;
  return origin === new URL(publicUrl).origin || URL.parse(origin)?.host === host;
}
