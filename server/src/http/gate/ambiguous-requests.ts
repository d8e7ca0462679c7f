import type { IncomingMessage } from 'node:http';
import { KeywardError } from '../../kernel/errors.ts';
import { repeatedHeader } from './credentials.ts';

/** Rejects requests that a proxy in front may have read differently. */
export function rejectAmbiguous({ url, headers, rawHeaders, httpVersion }: IncomingMessage): void {
  // The router would ignore the host of an absolute URL.
  if (!url!.startsWith('/'))
    throw new KeywardError('invalid_path', 'Send only the path, not an absolute URL.');
  const repeated = repeatedHeader(rawHeaders);
  if (repeated !== undefined)
    throw new KeywardError('invalid_header', `The header ${repeated} must not be repeated.`);
  // HTTP/1.0 does not define transfer-encoding, so a proxy may have read the body differently.
  if (headers['transfer-encoding'] !== undefined && httpVersion === '1.0')
    throw new KeywardError(
      'invalid_header',
      'HTTP/1.0 has no transfer-encoding. Send content-length, or HTTP/1.1.',
      { headers: ['Connection', 'close'] },
    );
  // HTTP/1.0 does not require a host, and load balancers may probe with it.
  if (headers.host === undefined && httpVersion !== '1.0')
    throw new KeywardError('invalid_header', 'The header host is missing.');
}
