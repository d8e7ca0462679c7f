import { crc32 } from 'node:zlib';
import { ID_PREFIXES, looksLikeId, type RandomFill, systemRandom } from '../ids.ts';

/**
 * A key value: `live_`, 43 random base62 characters (62^43 > 2^256), and a CRC-32 of all that in 6
 * characters. With the checksum, mistyped values are rejected without a read, and secret
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
/** Prefixes that a project can choose for its keys. */
const PROJECT_PREFIX = /^[a-z][a-z0-9]{0,15}(?:_[a-z0-9]{1,15})?_$/;
const PROJECT_PREFIX_VALUE = /^([a-z][a-z0-9]{0,15}(?:_[a-z0-9]{1,15})?_)[0-9A-Za-z]{49}$/;
const RESERVED_PREFIX = /^(?:live|test)_$|(?:access|portal|whsec)_$/;

/** Null if a project may use the prefix for its keys; otherwise a sentence about `keyPrefix`. */
export function wrongPrefix(prefix: string): string | null {
  if (!PROJECT_PREFIX.test(prefix))
    return 'keyPrefix must be one or two words of lower-case letters and digits, each followed by _, such as acme_ or acme_live_. The first word begins with a letter and has at most 16 characters, the second at most 15.';
  const isId = ID_PREFIXES.some((each) => prefix === `${each}_`);
  return isId || RESERVED_PREFIX.test(prefix)
    ? `keyPrefix: ${prefix} is reserved; choose another.`
    : null;
}

export function generateValue(prefix: string, random: RandomFill = systemRandom): string {
  const bytes = new Uint8Array(64);
  let body = '';
  while (body.length < RANDOM_LENGTH) {
    random(bytes);
    // 248 = 4 × 62: using larger bytes would favor the first characters.
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

function hasChecksum(value: string): boolean {
  const end = value.length - CHECKSUM_LENGTH;
  return checksum(value.slice(0, end)) === value.slice(end);
}

export type ValueShape = 'generated' | 'other' | 'malformed';

/**
 * Classifies a value by its text. A value in the form that we generate, with one of our own prefixes but a
 * wrong checksum, is malformed. With the prefix of a project it is not: an imported value may have that form.
 */
export function shapeOf(value: string): ValueShape {
  if (!ALPHABET.test(value)) return 'malformed';
  if (GENERATED.test(value)) return hasChecksum(value) ? 'generated' : 'malformed';
  return looksLikeId(value) ? 'malformed' : 'other';
}

/** Tokens of portal sessions. They are looked up only where a portal session is expected. */
export const PORTAL_PREFIX = 'portal_';
const PORTAL_TOKEN = /^portal_[0-9A-Za-z]{49}$/;

export const isPortalToken = (value: string): boolean =>
  PORTAL_TOKEN.test(value) && hasChecksum(value);

/** Whether it is a value that we generated, with any prefix: shape and checksum are right. */
export const isGeneratedValue = (value: string): boolean =>
  (GENERATED.test(value) || PROJECT_PREFIX_VALUE.test(value)) && hasChecksum(value);

const GENERATED_IN_TEXT = /[a-z][a-z0-9_]{0,32}_[0-9A-Za-z]{49}/g;

/** Masks every value in the text that looks like one of ours. */
export const maskIn = (text: string): string =>
  text.replace(GENERATED_IN_TEXT, (value) => value.slice(0, -43) + MASK_TAIL);

/** The part of a value that may be shown after its creation. */
export function maskValue(value: string): string {
  const own = hasChecksum(value) ? PROJECT_PREFIX_VALUE.exec(value)?.[1] : undefined;
  const prefix = GENERATED.exec(value)?.[1] ?? own;
  const shown =
    prefix === undefined ? Math.min(6, Math.floor(value.length / 4)) : prefix.length + 6;
  return value.slice(0, shown) + MASK_TAIL;
}
