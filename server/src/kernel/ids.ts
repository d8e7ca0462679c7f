import { randomFillSync } from 'node:crypto';
import { RESOURCE_ID_PREFIXES } from '@keyward/rules/areas.ts';
import { type Clock, systemClock } from './time/clock.ts';

/** All kinds of ids and their prefixes. */
export const ID_PREFIXES = [
  ...RESOURCE_ID_PREFIXES,
  'acc',
  'evt',
  'dlv',
  'rpl',
  'usr',
  'ses',
  'psk',
  'mai',
  'aud',
  'lse',
  'imp',
  'pse',
  'rfs',
  'lek',
  'gr',
] as const;
export type IdPrefix = (typeof ID_PREFIXES)[number];

/** Crockford's base32 in lower case: no i, l, o, u; sorts like the bytes. */
export const BASE32 = '0123456789abcdefghjkmnpqrstvwxyz';

const ANY_ID = new RegExp(`^(${ID_PREFIXES.join('|')})_[0-7][${BASE32}]{25}$`);

export const looksLikeId = (text: string): boolean => ANY_ID.test(text);

export const isIdOf = (prefix: IdPrefix, text: string): boolean =>
  text.startsWith(`${prefix}_`) && ANY_ID.test(text);

export type RandomFill = (bytes: Uint8Array) => void;
export const systemRandom: RandomFill = (bytes) => void randomFillSync(bytes);

export type MakeId = (prefix: IdPrefix) => string;

/**
 * UUIDv7 with a typed prefix. Within a millisecond the 12 bits after the version count up, so that the
 * ids of a process sort in the order of creation. After 4,096 ids in a millisecond, the time in the ids
 * runs ahead of the clock.
 */
export function createIds(clock: Clock = systemClock, random: RandomFill = systemRandom): MakeId {
  const bytes = new Uint8Array(16);
  let lastMs = 0;
  let counter = 0;
  return (prefix) => {
    const now = clock();
    if (now > lastMs) {
      lastMs = now;
      counter = 0;
    } else if (++counter > 0xfff) {
      lastMs++;
      counter = 0;
    }
    random(bytes);
    const high = Math.floor(lastMs / 2 ** 32);
    const low = lastMs % 2 ** 32;
    bytes[0] = high >>> 8;
    bytes[1] = high;
    bytes[2] = low >>> 24;
    bytes[3] = low >>> 16;
    bytes[4] = low >>> 8;
    bytes[5] = low;
    bytes[6] = 0x70 | (counter >>> 8);
    bytes[7] = counter;
    bytes[8] = 0x80 | (bytes[8]! & 0x3f);
    return `${prefix}_${base32(bytes)}`;
  };
}

/** A lower bound for all ids created at `ms` or later. Ten characters hold the 48 bits of the time. */
export function idFloor(prefix: IdPrefix, ms: number): string {
  let text = '';
  for (let rest = Math.max(0, ms), place = 0; place < 10; place++, rest = Math.floor(rest / 32))
    text = BASE32[rest % 32] + text;
  return `${prefix}_${text.padEnd(26, '0')}`;
}

/** 128 bits as 26 characters; the first holds only three bits. */
function base32(bytes: Uint8Array): string {
  let text = '';
  let pending = 0;
  let bits = 2; // 130 = 26 × 5: two leading zero bits
  for (const byte of bytes) {
    pending = (pending << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += BASE32[(pending >>> bits) & 31];
    }
    pending &= (1 << bits) - 1;
  }
  return text;
}
