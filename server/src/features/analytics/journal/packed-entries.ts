import { KEY_OUTCOMES } from '@keyward/rules/outcomes.ts';

/** Where the extra cost begins in an entry. It takes two words: it may be negative, or exceed 32 bits. */
export const EXTRA_COST_AT = 2 + KEY_OUTCOMES.length;

/**
 * Words of an entry: seq of the key, its latest valid use in milliseconds of the minute plus one (0:
 * none), the counts in the order of KEY_OUTCOMES, and the extra cost.
 */
export const WIDTH = EXTRA_COST_AT + 2;

/**
 * Stored form of entries. Nearly all keys of a batch have only valid uses of cost 1; their short
 * entries take two words: seq, and 16 bits each for the latest use and the count.
 *
 *   MARK  number of short entries  short entries …  long entries …
 *
 * The mark tells the width of long entries, which have fewer words in rows of older versions. The
 * oldest rows have long entries only and begin with a seq instead of a mark.
 */
const MARK = 0xffff_fffd;
const WIDTHS: ReadonlyMap<number, number> = new Map([
  [MARK, WIDTH],
  [0xffff_fffe, 11],
  [0xffff_ffff, 7],
]);
const OLDEST_WIDTH = 7;
const HEAD = 2;
const SHORT = 2;
const COUNT_MAX = 0xffff;

const WORD = 2 ** 32;

export const extraCostOf = (entries: Uint32Array, at: number): number =>
  (entries[at + EXTRA_COST_AT + 1]! | 0) * WORD + entries[at + EXTRA_COST_AT]!;

/**
 * Stores the low 32 bits of `cost`, then the bits above. A Uint32Array keeps only the low 32 bits of an
 * assigned number, also of a negative one.
 */
export function setExtraCost(entries: Uint32Array, at: number, cost: number): void {
  entries[at + EXTRA_COST_AT] = cost;
  entries[at + EXTRA_COST_AT + 1] = Math.floor(cost / WORD);
}

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
  const width = WIDTHS.get(packed[0]!);
  if (width === undefined) return { head: 0, shorts: 0, width: OLDEST_WIDTH };
  return { head: HEAD, shorts: packed[1]!, width };
}

/** Copies the bytes only if they are not aligned to words. */
function wordsOf(bytes: Uint8Array): Uint32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4);
}
