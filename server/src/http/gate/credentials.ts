import type { IncomingHttpHeaders } from 'node:http';
import { KeywardError } from '../../kernel/errors.ts';

const AUTHENTICATE = ['WWW-Authenticate', 'Bearer'];

export const unauthorized = (
  code:
    | 'credential_missing'
    | 'credential_invalid'
    | 'credential_revoked'
    | 'credential_expired'
    | 'session_invalid',
  message?: string,
): KeywardError => new KeywardError(code, message, { headers: AUTHENTICATE });

/**
 * The access key in `x-api-key` or, without that header, in `Authorization` (`Bearer …` or the bare
 * value). `own` names a header that takes precedence over both.
 */
export function credentialIn(headers: IncomingHttpHeaders, own?: string): string {
  const key = (own && headers[own]) ?? headers['x-api-key'];
  const credential = key === undefined ? bearer(headers.authorization) : String(key).trim();
  if (credential === '') throw unauthorized('credential_missing');
  return credential;
}

function bearer(header: string | undefined): string {
  if (header === undefined) return '';
  return /^bearer\s/i.test(header) ? header.slice(7).trim() : header.trim();
}

/** Headers that must not be repeated, because one proxy reads the first and another the last. */
const UNREPEATABLE_HEADERS = new Set([
  'x-api-key',
  'host',
  'authorization',
  'idempotency-key',
  'x-origin-domain',
  'x-keyward-operator',
  'x-keyward-access-key',
  'x-keyward-key',
  'content-type',
  'content-length',
]);

/** The name of a header that is repeated but must not be, if any. */
export function repeatedHeader(rawHeaders: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    if (!UNREPEATABLE_HEADERS.has(name)) continue;
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}
