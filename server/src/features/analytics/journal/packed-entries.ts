import { KEY_OUTCOMES } from '../outcomes.ts';

/**
 * Words of an entry: seq of the key, its latest valid use in milliseconds of the minute plus one (0:
 * none), and the counts in the order of KEY_OUTCOMES.
 */
export const WIDTH = 2 + KEY_OUTCOMES.length;

/**
 * Stored form of entries. Nearly all keys of a batch have only valid uses; their short entries take
 * two words: seq, and 16 bits each for the latest use and the count.
 *
 *   MARK  number of short entries  short entries …  long entries …
 *
 * The mark tells the width of long entries, which have fewer outcomes in rows of older versions.
 * Still older rows have long entries only and begin with a seq instead of a mark.
 */
const MARK = 0xffff_fffe;
const OLD_MARK = 0xffff_ffff;
const OLD_WIDTH = 7;
const HEAD = 2;
const SHORT = 2;
const COUNT_MAX = 0xffff;

export function packEntries(entries: Uint32Array): Uint8Array {
  let shorts = 0;
  for (let at = 0; at < entries.length; at += WIDTH) if (isShort(entries, at)) shorts++;
  const longs = entries.length / WIDTH - shorts;
  const packed = new Uint32Array(HEAD + SHORT * shorts + WIDTH * longs);
  packed[0] = MARK;
  packed[1] = shorts;
  let short = HEAD;
  let long = HEAD + SHORT * shorts;
  for (let at = 0; at < entries.length; at += WIDTH) {
    if (isShort(entries, at)) {
      packed[short] = entries[at]!;
      packed[short + 1] = (entries[at + 2]! << 16) | entries[at + 1]!;
      short += SHORT;
    } else {
      for (let n = 0; n < WIDTH; n++) packed[long + n] = entries[at + n]!;
      long += WIDTH;
    }
  }
  return new Uint8Array(packed.buffer);
}

function isShort(entries: Uint32Array, at: number): boolean {
  for (let n = 3; n < WIDTH; n++) if (entries[at + n] !== 0) return false;
  return entries[at + 2]! <= COUNT_MAX;
}

/** Writes the entries into `entries` from `end` on, short ones first. Returns the new end. */
export function unpackInto(entries: Uint32Array, end: number, bytes: Uint8Array): number {
  const packed = wordsOf(bytes);
  const { head, shorts, width } = formOf(packed);
  let at = end;
  for (let from = head; from < head + SHORT * shorts; from += SHORT) {
    const uses = packed[from + 1]!;
    entries[at] = packed[from]!;
    entries[at + 1] = uses & 0xffff;
    entries[at + 2] = uses >>> 16;
    at += WIDTH;
  }
  for (let from = head + SHORT * shorts; from < packed.length; from += width) {
    for (let n = 0; n < width; n++) entries[at + n] = packed[from + n]!;
    at += WIDTH;
  }
  return at;
}

export function packedCount(bytes: Uint8Array): number {
  const packed = wordsOf(bytes);
  const { head, shorts, width } = formOf(packed);
  return shorts + (packed.length - head - SHORT * shorts) / width;
}

function formOf(packed: Uint32Array): { head: number; shorts: number; width: number } {
  if (packed[0] === MARK) return { head: HEAD, shorts: packed[1]!, width: WIDTH };
  if (packed[0] === OLD_MARK) return { head: HEAD, shorts: packed[1]!, width: OLD_WIDTH };
  return { head: 0, shorts: 0, width: OLD_WIDTH };
}

/** Copies the bytes only if they are not aligned to words. */
function wordsOf(bytes: Uint8Array): Uint32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4);
}
