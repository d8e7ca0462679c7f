import {
  type Code,
  i32Const,
  readLocal,
  unsigned,
  vector,
  type WasmFunction,
  wasmModule,
  writeLocal,
} from './wasm-code.ts';
import { FOUR, ONE, type Words } from './words.ts';

const PRIMES: number[] = [];
for (let n = 2; PRIMES.length < 64; n += 1)
  if (PRIMES.every((prime) => n % prime !== 0)) PRIMES.push(n);

/** The first 32 bits behind the point (FIPS 180-4, 4.2.2 and 5.3.3). */
const fraction = (root: number): number => Math.floor((root % 1) * 2 ** 32) | 0;

/** What SHA-256 begins with. */
export const INITIAL_STATE = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const ROUNDS = PRIMES.map((prime) => fraction(Math.cbrt(prime)));

export const BLOCK_BYTES = 64;

/** Parameters: where the state stands, where the blocks do, where the new state goes. */
const [STATE, BLOCKS, RESULT] = [0, 1, 2];
/** Locals behind them: the eight variables, the last sixteen words of the schedule, two to spare. */
const VARIABLES = 3;
const SCHEDULE = VARIABLES + 8;
const SPARE = SCHEDULE + 16;
const LOCALS = SPARE + 2 - VARIABLES;

/**
 * SHA-256's compression of one block, and of four blocks at once from the same state. Of the new
 * states word `w` of lane `l` is written as the `4 * w + l`th number, whether there are four or one.
 */
export function sha256Module(): Uint8Array<ArrayBuffer> {
  return wasmModule(3, [
    compression('one', ONE, loadBlock()),
    compression('four', FOUR, loadFourBlocks()),
  ]);
}

function compression(name: string, words: Words, load: Code): WasmFunction {
  const before = (n: number): Code => words.loadForAll(readLocal(STATE), n * 4);
  const eight = [0, 1, 2, 3, 4, 5, 6, 7];
  const code = [
    ...load,
    ...eight.flatMap((n) => writeLocal(VARIABLES + n, before(n))),
    ...ROUNDS.flatMap((_, t) => [...(t < 16 ? [] : extendSchedule(words, t)), ...round(words, t)]),
    ...eight.flatMap((n) =>
      words.store(readLocal(RESULT), n * 16, words.add(before(n), readLocal(VARIABLES + n))),
    ),
  ];
  return { name, code, locals: { count: LOCALS, areVectors: words.lanes === 4 } };
}

const scheduled = (t: number): Code => readLocal(SCHEDULE + (t & 15));

function extendSchedule(words: Words, t: number): Code {
  const { add, xor, rotateRight, shiftRight } = words;
  const [far, near] = [scheduled(t - 15), scheduled(t - 2)];
  const sigma0 = xor(xor(rotateRight(far, 7), rotateRight(far, 18)), shiftRight(far, 3));
  const sigma1 = xor(xor(rotateRight(near, 17), rotateRight(near, 19)), shiftRight(near, 10));
  const word = add(add(scheduled(t - 16), sigma0), add(scheduled(t - 7), sigma1));
  return writeLocal(SCHEDULE + (t & 15), word);
}

/** Instead of moving each variable on by one, the next round takes each from the place before. */
function round(words: Words, t: number): Code {
  const { add, xor, rotateRight, select } = words;
  const place = (n: number): number => VARIABLES + ((n - t) & 7);
  const variable = (n: number): Code => readLocal(place(n));
  const [a, b, c, d] = [variable(0), variable(1), variable(2), variable(3)];
  const [e, f, g, h] = [variable(4), variable(5), variable(6), variable(7)];
  const sum1 = xor(xor(rotateRight(e, 6), rotateRight(e, 11)), rotateRight(e, 25));
  const sum0 = xor(xor(rotateRight(a, 2), rotateRight(a, 13)), rotateRight(a, 22));
  const choice = select(e, f, g);
  const majority = select(xor(a, b), c, b);
  const known = add(scheduled(t), words.constant(ROUNDS[t]!));
  return [
    ...writeLocal(place(7), add(add(h, known), add(sum1, choice))),
    ...writeLocal(place(3), add(d, h)),
    ...writeLocal(place(7), add(h, add(sum0, majority))),
  ];
}

/** Words of a block have their highest byte first, those of the machine their lowest. */
function loadBlock(): Code {
  const code: number[] = [];
  for (let n = 0; n < 16; n += 1) {
    const word = [...readLocal(BLOCKS), 0x28, 0, ...unsigned(n * 4)];
    const outer = [...readLocal(SPARE), ...i32Const(8), 0x78, ...i32Const(0xff00ff00), 0x71];
    const inner = [...readLocal(SPARE), ...i32Const(8), 0x77, ...i32Const(0x00ff00ff), 0x71];
    code.push(...writeLocal(SPARE, word), ...writeLocal(SCHEDULE + n, [...outer, ...inner, 0x72]));
  }
  return code;
}

const shuffle = (a: Code, b: Code, bytes: Code): Code => [...a, ...b, ...vector(0x0d, ...bytes)];
/** Numbers of two vectors, picked: 0 to 3 are those of the first, 4 to 7 of the second. */
const pick = (numbers: readonly number[]): Code =>
  numbers.flatMap((n) => [0, 1, 2, 3].map((b) => 4 * n + b));
const HIGHEST_FIRST = [0, 1, 2, 3].flatMap((n) => [3, 2, 1, 0].map((b) => 4 * n + b));

/** Four words of each of four blocks at a time, turned so that a vector holds the same word of all. */
function loadFourBlocks(): Code {
  const code: number[] = [];
  for (let quarter = 0; quarter < 4; quarter += 1) {
    const place = (n: number): number => SCHEDULE + 4 * quarter + n;
    const [w, x, y, z] = [0, 1, 2, 3].map((n) => readLocal(place(n))) as [Code, Code, Code, Code];
    for (let block = 0; block < 4; block += 1) {
      const offset = block * BLOCK_BYTES + quarter * 16;
      const words = [...readLocal(BLOCKS), ...vector(0x00, 0, ...unsigned(offset))];
      code.push(...writeLocal(place(block), shuffle(words, words, HIGHEST_FIRST)));
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
