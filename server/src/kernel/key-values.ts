import { crc32 } from 'node:zlib';
import { looksLikeId, type RandomFill, systemRandom } from './ids.ts';

/**
 * A key value: `live_`, 43 random base62 characters (62^43 > 2^256), and a CRC-32 of all that in 6
 * characters. With the checksum, mistyped or truncated values are rejected without a read, and secret
 * scanners find leaked keys without false positives.
 */
export const API_KEY_PREFIXES = ['live_', 'test_'] as const;
export const ACCESS_KEY_PREFIXES = ['live_access_', 'test_access_', 'account_access_'] as const;
export type ValuePrefix = (typeof API_KEY_PREFIXES | typeof ACCESS_KEY_PREFIXES)[number];

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
export const MASK_TAIL = '*********';

const ALPHABET = /^[A-Za-z0-9._~-]{8,256}$/;
const GENERATED = /^((?:live|test)_(?:access_)?|account_access_)[0-9A-Za-z]{49}$/;

export function generateValue(prefix: ValuePrefix, random: RandomFill = systemRandom): string {
  const bytes = new Uint8Array(64);
  let body = '';
  while (body.length < RANDOM_LENGTH) {
    random(bytes);
    // 248 = 4 × 62: using larger bytes would favour the first characters.
    for (const byte of bytes)
      if (byte < 248 && body.length < RANDOM_LENGTH) body += BASE62[byte % 62];
  }
  return prefix + body + checksum(prefix + body);
}

function checksum(text: string): string {
  let rest = crc32(text);
  let out = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    out = BASE62[rest % 62] + out;
    rest = Math.floor(rest / 62);
  }
  return out;
}

export type ValueShape = 'generated' | 'own' | 'malformed';

/** Classifies a value by its text. A generated value with a wrong checksum is malformed. */
export function shapeOf(value: string): ValueShape {
  if (!ALPHABET.test(value)) return 'malformed';
  if (GENERATED.test(value)) {
    const end = value.length - CHECKSUM_LENGTH;
    return checksum(value.slice(0, end)) === value.slice(end) ? 'generated' : 'malformed';
  }
  return looksLikeId(value) ? 'malformed' : 'own';
}

/** The part of a value that may be shown after its creation. */
export function maskValue(value: string): string {
  const prefix = GENERATED.exec(value)?.[1];
  const shown =
    prefix === undefined ? Math.min(6, Math.floor(value.length / 4)) : prefix.length + 6;
  return value.slice(0, shown) + MASK_TAIL;
}
