import type { IncomingMessage } from 'node:http';
import { KeywardError } from '../kernel/errors.ts';

/**
 * A browser sends cookies wherever it is told to. So what changes something with a cookie must come
 * from our own pages: browsers say so in `Sec-Fetch-Site`, and older ones in `Origin`. Whoever says
 * neither is refused; programs have access keys.
 */
export function refuseOtherSites({ headers }: IncomingMessage, publicUrl: string): void {
  const site = headers['sec-fetch-site'];
  const { origin = '', host } = headers;
  const isOurs =
    site === undefined
      ? origin !== '' && (origin === new URL(publicUrl).origin || URL.parse(origin)?.host === host)
      : site === 'same-origin';
  if (!isOurs) throw new KeywardError('origin_denied');
}
