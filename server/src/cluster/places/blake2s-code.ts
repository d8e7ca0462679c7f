import { type Code, readLocal, type WasmFunction, wasmModule, writeLocal } from './wasm-code.ts';
import { FOUR, ONE, shuffle, type Words } from './words.ts';

const PRIMES = [2, 3, 5, 7, 11, 13, 17, 19];

/** The first 32 bits behind the point of their roots, as SHA-256 has them (RFC 7693, 2.6). */
const CONSTANTS = PRIMES.map((prime) => Math.floor((Math.sqrt(prime) % 1) * 2 ** 32) | 0);

/** Without a key, 32 bytes long (RFC 7693, 2.5). */
const PARAMETERS = 0x0101_0020;

/** What BLAKE2s begins with. */
export const INITIAL_STATE = CONSTANTS.map((word, n) => (n === 0 ? word ^ PARAMETERS : word));

export const BLOCK_BYTES = 64;

/** Which word of the block goes where, round by round (RFC 7693, 2.7). */
const ROUNDS = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

/** The columns of the sixteen variables, then their diagonals. */
const MIXED = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
] as const;

/** Parameters: where the state stands, the blocks, what is told of them, and where the new state goes. */
const [STATE, BLOCKS, TOLD, RESULT] = [0, 1, 2, 3];
/** Locals behind them: the variables, the words of the block, two to spare. */
const VARIABLES = 4;
const BLOCK = VARIABLES + 16;
const SPARE = BLOCK + 16;
const LOCALS = SPARE + 2 - VARIABLES;
/** Of what is told: behind how many bytes there are up to the end of each block, -1 where it is the last. */
const LAST = 16;

/**
 * BLAKE2s's compression of one block, and of four blocks at once from the same state. Of the new
 * states word `w` of lane `l` is written as the `4 * w + l`th number, whether there are four or one.
 */
export function blake2sModule(): Uint8Array<ArrayBuffer> {
  return wasmModule(4, [
    compression('one', ONE, loadBlock()),
    compression('four', FOUR, loadFourBlocks()),
  ]);
}

function compression(name: string, words: Words, load: Code): WasmFunction {
  const { xor, constant } = words;
  const before = (n: number): Code => words.loadForAll(readLocal(STATE), n * 4);
  const told = (offset: number): Code => words.load(readLocal(TOLD), offset);
  const eight = [0, 1, 2, 3, 4, 5, 6, 7];
  const second = CONSTANTS.map(constant);
  // Nothing here has four gigabytes: the upper half of the count, in second[5], is always 0.
  second[4] = xor(second[4]!, told(0));
  second[6] = xor(second[6]!, told(LAST));
  const code = [
    ...load,
    ...eight.flatMap((n) => writeLocal(VARIABLES + n, before(n))),
    ...eight.flatMap((n) => writeLocal(VARIABLES + 8 + n, second[n]!)),
    ...ROUNDS.flatMap((order) =>
      MIXED.flatMap((four, n) => mix(words, four, order[2 * n]!, order[2 * n + 1]!)),
    ),
    ...eight.flatMap((n) => {
      const [first, other] = [readLocal(VARIABLES + n), readLocal(VARIABLES + 8 + n)];
      return words.store(readLocal(RESULT), n * 16, xor(before(n), xor(first, other)));
    }),
  ];
  return { name, code, locals: { count: LOCALS, areVectors: words.lanes === 4 } };
}

function mix(words: Words, four: readonly number[], first: number, second: number): Code {
  const { add, xor, rotateRight } = words;
  const [a, b, c, d] = four.map((n) => VARIABLES + n) as [number, number, number, number];
  const half = (word: number, far: number, near: number): Code => [
    ...writeLocal(a, add(add(readLocal(a), readLocal(b)), readLocal(BLOCK + word))),
    ...writeLocal(SPARE, xor(readLocal(d), readLocal(a))),
    ...writeLocal(d, rotateRight(readLocal(SPARE), far)),
    ...writeLocal(c, add(readLocal(c), readLocal(d))),
    ...writeLocal(SPARE, xor(readLocal(b), readLocal(c))),
    ...writeLocal(b, rotateRight(readLocal(SPARE), near)),
  ];
  return [...half(first, 16, 12), ...half(second, 8, 7)];
}

/** Words of a block have their lowest byte first, as those of the machine. */
function loadBlock(): Code {
  const code: number[] = [];
  for (let n = 0; n < 16; n += 1)
    code.push(...writeLocal(BLOCK + n, ONE.load(readLocal(BLOCKS), n * 4)));
  return code;
}

/** Numbers of two vectors, picked: 0 to 3 are those of the first, 4 to 7 of the second. */
const pick = (numbers: readonly number[]): Code =>
  numbers.flatMap((n) => [0, 1, 2, 3].map((b) => 4 * n + b));

/** Four words of each of four blocks at a time, turned so that a vector holds the same word of all. */
function loadFourBlocks(): Code {
  const code: number[] = [];
  for (let quarter = 0; quarter < 4; quarter += 1) {
    const place = (n: number): number => BLOCK + 4 * quarter + n;
    const [w, x, y, z] = [0, 1, 2, 3].map((n) => readLocal(place(n))) as [Code, Code, Code, Code];
    for (let block = 0; block < 4; block += 1) {
      const offset = block * BLOCK_BYTES + quarter * 16;
      code.push(...writeLocal(place(block), FOUR.load(readLocal(BLOCKS), offset)));
    }
    const [low, high] = [readLocal(SPARE), readLocal(SPARE + 1)];
    code.push(
      ...writeLocal(SPARE, shuffle(w, x, pick([0, 4, 1, 5]))),
      ...writeLocal(SPARE + 1, shuffle(w, x, pick([2, 6, 3, 7]))),
      ...writeLocal(place(0), shuffle(y, z, pick([0, 4, 1, 5]))),
      ...writeLocal(place(3), shuffle(y, z, pick([2, 6, 3, 7]))),
      ...writeLocal(place(1), shuffle(low, w, pick([2, 3, 6, 7]))),
      ...writeLocal(place(0), shuffle(low, w, pick([0, 1, 4, 5]))),
      ...writeLocal(place(2), shuffle(high, z, pick([0, 1, 4, 5]))),
      ...writeLocal(place(3), shuffle(high, z, pick([2, 3, 6, 7]))),
    );
  }
  return code;
}
