/**
 * Words of an entry: seq of the key, its latest valid use in milliseconds of the minute plus one (0:
 * none), and the counts in the order of KEY_OUTCOMES.
 */
export const WIDTH = 7;

/**
 * Stored form of entries. Nearly all keys of a batch have only valid uses; their short entries take
 * two words instead of seven: seq, and 16 bits each for the latest use and the count.
 *
 *   MARK  number of short entries  short entries …  long entries …
 *
 * Rows of older versions have long entries only and begin with a seq instead of MARK.
 */
const MARK = 0xffff_ffff;
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
  const refused = entries[at + 3]! | entries[at + 4]! | entries[at + 5]! | entries[at + 6]!;
  return refused === 0 && entries[at + 2]! <= COUNT_MAX;
}

/** Writes the entries into `entries` from `end` on, short ones first. Returns the new end. */
export function unpackInto(entries: Uint32Array, end: number, bytes: Uint8Array): number {
  const packed = wordsOf(bytes);
  const isPacked = packed[0] === MARK;
  const shorts = isPacked ? packed[1]! : 0;
  for (let n = 0; n < shorts; n++) {
    const at = end + WIDTH * n;
    const uses = packed[HEAD + SHORT * n + 1]!;
    entries[at] = packed[HEAD + SHORT * n]!;
    entries[at + 1] = uses & 0xffff;
    entries[at + 2] = uses >>> 16;
  }
  const longs = packed.subarray(isPacked ? HEAD + SHORT * shorts : 0);
  entries.set(longs, end + WIDTH * shorts);
  return end + WIDTH * shorts + longs.length;
}

export function packedCount(bytes: Uint8Array): number {
  const packed = wordsOf(bytes);
  if (packed[0] !== MARK) return packed.length / WIDTH;
  const shorts = packed[1]!;
  return shorts + (packed.length - HEAD - SHORT * shorts) / WIDTH;
}

/** Copies the bytes only if they are not aligned to words. */
function wordsOf(bytes: Uint8Array): Uint32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4);
}
