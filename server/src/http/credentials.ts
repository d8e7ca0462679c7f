import type { IncomingHttpHeaders } from 'node:http';
import { KeywardError } from '../kernel/errors.ts';

const AUTHENTICATE = ['WWW-Authenticate', 'Bearer'];

export const unauthorised = (
  code:
    | 'credential_missing'
    | 'credential_invalid'
    | 'credential_revoked'
    | 'credential_expired'
    | 'session_invalid',
  message?: string,
): KeywardError => new KeywardError(code, message, { headers: AUTHENTICATE });

/**
 * `x-api-key` decides; only when it is absent, `Authorization: Bearer …` or the bare value. A route
 * may name a header of its own that comes before both.
 */
export function credentialIn(headers: IncomingHttpHeaders, own?: string): string {
  const key = (own && headers[own]) ?? headers['x-api-key'];
  const credential = key === undefined ? bearer(headers.authorization) : String(key).trim();
  if (credential === '') throw unauthorised('credential_missing');
  return credential;
}

function bearer(header: string | undefined): string {
  if (header === undefined) return '';
  return /^bearer\s/i.test(header) ? header.slice(7).trim() : header.trim();
}

/**
 * Headers that must stand alone: what one proxy reads from the first, another reads from the last.
 * A bit for each, because this is asked of every validation.
 */
const SINGLE = new Map(
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
  ].map((name, place) => [name, 1 << place]),
);

/** Lengths that none of them has are passed over without a look at the name. */
const LENGTHS = new Set([...SINGLE.keys()].map((name) => name.length));
const hasSuchLength = Uint8Array.from({ length: 32 }, (_, length) => (LENGTHS.has(length) ? 1 : 0));

/** The bit of a header that must stand alone; undefined for others. `name` in lower case. */
export const bitOfSingle = (name: string): number | undefined => SINGLE.get(name);

/** The name of a header that came twice but must not; undefined in the ordinary case. */
export function repeatedHeader(rawHeaders: readonly string[]): string | undefined {
  let seen = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const sent = rawHeaders[i]!;
    if (!hasSuchLength[sent.length]) continue;
    const name = sent.toLowerCase();
    const bit = SINGLE.get(name);
    if (bit === undefined) continue;
    if (seen & bit) return name;
    seen |= bit;
  }
  return undefined;
}
