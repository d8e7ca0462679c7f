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

/**
 * Headers that must not be repeated, because one proxy reads the first and another the last. Each has a
 * bit, because this is checked with every validation.
 */
const UNREPEATABLE_HEADERS = new Map(
  [
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
  ].map((name, index) => [name, 1 << index]),
);

/** A header whose name has any other length is skipped without looking at the name. */
const LENGTHS = new Set([...UNREPEATABLE_HEADERS.keys()].map((name) => name.length));
const isCandidateLength = Uint8Array.from({ length: 32 }, (_, length) =>
  LENGTHS.has(length) ? 1 : 0,
);

/** The bit of a header that must not be repeated; undefined for others. `name` in lower case. */
export const unrepeatableBit = (name: string): number | undefined => UNREPEATABLE_HEADERS.get(name);

/** The name of a header that is repeated but must not be, if any. */
export function repeatedHeader(rawHeaders: readonly string[]): string | undefined {
  let seen = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const sent = rawHeaders[i]!;
    if (!isCandidateLength[sent.length]) continue;
    const name = sent.toLowerCase();
    const bit = UNREPEATABLE_HEADERS.get(name);
    if (bit === undefined) continue;
    if (seen & bit) return name;
    seen |= bit;
  }
  return undefined;
}
