import { hash } from 'node:crypto';
import { type RandomFill, systemRandom } from '../../kernel/ids.ts';
import { BLOCK_BYTES, blake2sModule, INITIAL_STATE } from './blake2s-code.ts';
import type { Place } from './place-table.ts';

/** What fits into one block. Our own values have 54 characters. */
export const ONE_BLOCK_MAX = BLOCK_BYTES;
/** Values hashed in one go. */
export const AT_ONCE = 64;

/** Values of one length that stand in a piece of bytes at equal distances. */
export interface EvenValues {
  readonly bytes: Uint8Array;
  /** Where the first begins. */
  readonly first: number;
  /** From the beginning of one to that of the next. */
  readonly step: number;
  /** At most what fits into one block. */
  readonly length: number;
  readonly count: number;
}

export type Values = readonly string[] | EvenValues;

export const countOf = (values: Values): number =>
  'bytes' in values ? values.count : values.length;
/** Owners whose state is remembered; one more, and all are made again when they come. */
const OWNERS_MAX = 10_000;

/** Where everything stands in the memory of the module. */
const INITIAL = 0;
const STATE = 32;
/** How many bytes there are up to the end of each of four blocks, then -1 for each that is the last. */
const TOLD = 64;
const BLOCKS = 96;
const RESULTS = BLOCKS + 4 * BLOCK_BYTES;
const GROUP_WORDS = 32;
const LAST = -1;
/** For what takes several blocks: the state between two of them, what is told of one, and where it stands. */
const LONG_STATE = RESULTS + (AT_ONCE / 4) * GROUP_WORDS * 4;
const LONG_TOLD = LONG_STATE + 32;
const LONG_BLOCK = LONG_TOLD + 32;

/** Every runtime has it, but types for it come only with those of browsers. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

interface Compression {
  readonly memory: { readonly buffer: ArrayBuffer };
  one(state: number, block: number, told: number, result: number): void;
  four(state: number, blocks: number, told: number, results: number): void;
}

export function compression(): Compression {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(blake2sModule()));
  return exports as Compression;
}

/**
 * Where a value of an owner stands in memory: the first 127 bits of BLAKE2s over 32 random bytes of
 * this process, the SHA-256 of the owner, and the value. Nobody else can tell which values come to
 * stand near each other, and nobody gets a value back from its place. The first 64 bytes are hashed
 * once for an owner, so that a value of our own is one block more; by our own code, because a call
 * of Node's hash costs more than the hash. BLAKE2s, because it is as safe as SHA-256 and takes half
 * as many instructions.
 */
export class PlaceHasher {
  readonly #secret = Buffer.alloc(32);
  readonly #compress: Compression;
  readonly #bytes: Buffer;
  readonly #view: DataView;
  readonly #words: Int32Array;
  readonly #owners = new Map<string, Int32Array>();
  #owner: string | null = null;
  /** How long the value in each block is: one as long as the last leaves what follows it alone. */
  readonly #lengths = [-1, -1, -1, -1];
  readonly #place: Place = { a: 0, b: 0, c: 0, d: 0 };

  constructor(random: RandomFill = systemRandom) {
    random(this.#secret);
    this.#compress = compression();
    const { buffer } = this.#compress.memory;
    this.#bytes = Buffer.from(buffer);
    this.#view = new DataView(buffer);
    this.#words = new Int32Array(buffer);
    this.#words.set(INITIAL_STATE, INITIAL / 4);
    this.#words.fill(LAST, TOLD / 4 + 4, TOLD / 4 + 8);
  }

  /** The place of one value. It stands until the next call. */
  placeOf(owner: string, value: string): Place {
    this.#enter(owner);
    if (this.#put(value, 0)) this.#compress.one(STATE, BLOCKS, TOLD, RESULTS);
    else this.#hashLong(owner, value, 0);
    return this.nth(0);
  }

  /** Places of `count` values from `start` on, at most `AT_ONCE`; `nth` tells each of them. */
  hashSome(owner: string, values: Values, start: number, count: number): void {
    this.#enter(owner);
    if ('bytes' in values) this.#hashEven(values, start, count);
    else this.#hashTexts(owner, values, start, count);
  }

  #hashTexts(owner: string, values: readonly string[], start: number, count: number): void {
    for (let n = 0; n < count; n += 4) {
      const group = Math.min(4, count - n);
      let long = 0;
      for (let lane = 0; lane < group; lane++)
        if (!this.#put(values[start + n + lane]!, lane)) long |= 1 << lane;
      this.#compress.four(STATE, BLOCKS, TOLD, RESULTS + n * GROUP_WORDS);
      for (let lane = 0; long !== 0; lane++, long >>= 1)
        if (long & 1) this.#hashLong(owner, values[start + n + lane]!, n + lane);
    }
  }

  #hashEven({ bytes, first, step, length }: EvenValues, start: number, count: number): void {
    for (let lane = 0; lane < 4; lane++) this.#endAfter(length, lane);
    const from = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const to = this.#view;
    const whole = length & ~3;
    for (let n = 0; n < count; n++) {
      const source = first + (start + n) * step;
      const target = BLOCKS + (n & 3) * BLOCK_BYTES;
      // Four bytes at a time, in whichever order this machine has them.
      for (let i = 0; i < whole; i += 4) to.setInt32(target + i, from.getInt32(source + i));
      for (let i = whole; i < length; i++) to.setUint8(target + i, from.getUint8(source + i));
      if ((n & 3) === 3 || n === count - 1)
        this.#compress.four(STATE, BLOCKS, TOLD, RESULTS + (n & ~3) * GROUP_WORDS);
    }
  }

  /** It stands until the next call. */
  nth(n: number): Place {
    const words = this.#words;
    const at = resultAt(n);
    const place = this.#place;
    place.a = words[at]!;
    place.b = words[at + 4]!;
    place.c = words[at + 8]!;
    // Never 0, by which a table knows what is free.
    place.d = words[at + 12]! | 1;
    return place;
  }

  /** Writes a value into a block, as its text would be sent. False: it is not one block exactly. */
  #put(value: string, lane: number): boolean {
    if (value.length > ONE_BLOCK_MAX || value === '') return false;
    const at = BLOCKS + lane * BLOCK_BYTES;
    const length = this.#bytes.write(value, at, BLOCK_BYTES);
    this.#endAfter(length, lane);
    // What did not fit is left out by whole characters, of up to four bytes.
    if (length < BLOCK_BYTES - 3 || Buffer.byteLength(value) === length) return true;
    // Who knows what stands behind it.
    this.#lengths[lane] = -1;
    return false;
  }

  /** What stands behind a value in its block, and what is told of it. */
  #endAfter(length: number, lane: number): void {
    if (length === this.#lengths[lane]) return;
    this.#lengths[lane] = length;
    const at = BLOCKS + lane * BLOCK_BYTES;
    this.#bytes.fill(0, at + length, at + BLOCK_BYTES);
    this.#words[TOLD / 4 + lane] = BLOCK_BYTES + length;
  }

  #hashLong(owner: string, value: string, n: number): void {
    const text = Buffer.concat([this.#start(owner), Buffer.from(value)]);
    this.#compressAll(text, 4 * resultAt(n));
  }

  /** Block by block from the beginning. */
  #compressAll(text: Buffer, result: number): void {
    const words = this.#words;
    words.copyWithin(LONG_STATE / 4, INITIAL / 4, INITIAL / 4 + 8);
    for (let start = 0; start < text.length; start += BLOCK_BYTES) {
      const end = Math.min(start + BLOCK_BYTES, text.length);
      this.#bytes.fill(0, LONG_BLOCK, LONG_BLOCK + BLOCK_BYTES);
      text.copy(this.#bytes, LONG_BLOCK, start, end);
      words[LONG_TOLD / 4] = end;
      words[LONG_TOLD / 4 + 4] = end === text.length ? LAST : 0;
      this.#compress.one(LONG_STATE, LONG_BLOCK, LONG_TOLD, result);
      for (let word = 0; word < 8; word++)
        words[LONG_STATE / 4 + word] = words[result / 4 + 4 * word]!;
    }
  }

  #start(owner: string): Buffer {
    return Buffer.concat([this.#secret, hash('sha256', owner, 'buffer')]);
  }

  #enter(owner: string): void {
    if (owner === this.#owner) return;
    this.#owner = owner;
    this.#words.set(this.#owners.get(owner) ?? this.#stateOf(owner), STATE / 4);
  }

  #stateOf(owner: string): Int32Array {
    this.#start(owner).copy(this.#bytes, LONG_BLOCK);
    this.#words[LONG_TOLD / 4] = BLOCK_BYTES;
    this.#words[LONG_TOLD / 4 + 4] = 0;
    this.#compress.one(INITIAL, LONG_BLOCK, LONG_TOLD, RESULTS);
    const at = RESULTS / 4;
    const state = Int32Array.from({ length: 8 }, (_, word) => this.#words[at + 4 * word]!);
    if (this.#owners.size >= OWNERS_MAX) this.#owners.clear();
    this.#owners.set(owner, state);
    return state;
  }
}

/** Where the first word of a result stands: the words of four values are interleaved. */
const resultAt = (n: number): number => RESULTS / 4 + (n >> 2) * GROUP_WORDS + (n & 3);
