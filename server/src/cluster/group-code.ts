import { BASE32 } from '../kernel/ids.ts';
import type { GroupWords } from './counters.ts';

/**
 * An id as five 32-bit words, and back. Nothing is hashed away: two ids have the same words only
 * when they are the same id, so no two groups can ever share a window by accident.
 *
 * An id is 1 to 3 letters, `_` and 26 characters of base32. Words 0 to 3 hold characters 1 to 24
 * (six of 5 bits each), word 4 the letters, character 0 and character 25. Word 4 is never 0.
 */
const BODY_LENGTH = 26;
const UNDERSCORE = 95;
const BEFORE_A = 96;
const NOT_A_DIGIT = -(2 ** 31);

const DIGITS = new Int32Array(128).fill(NOT_A_DIGIT);
for (let value = 0; value < BASE32.length; value += 1) DIGITS[BASE32.charCodeAt(value)] = value;

export const CODE_WORDS = 5;

/** Writes the words of `group` into `code`. Throws when `group` is not an id. */
export function encodeGroup(group: string, code: Uint32Array): void {
  const body = group.length - BODY_LENGTH;
  const letters = encodeLetters(group, body - 1);
  const first = digitAt(group, body);
  const last = digitAt(group, body + 25);
  let seen = first | last;
  for (let word = 0, at = body + 1; word < 4; word += 1, at += 6) {
    const bits = sixDigitsAt(group, at);
    seen |= bits;
    code[word] = bits;
  }
  if (seen < 0 || letters === 0) {
    throw new RangeError(`A rate-limit window is counted under an id; this is none: ${group}`);
  }
  code[4] = (letters << 10) | (first << 5) | last;
}

/** The words of `group`, to be kept. All fit into 32 bits with a sign: none is an object of its own. */
export function wordsOf(group: string): GroupWords {
  const code = new Uint32Array(CODE_WORDS);
  encodeGroup(group, code);
  const [word0, word1, word2, word3, word4] = code as unknown as Words;
  return { spread: hashCode(code, 0), word0, word1, word2, word3, word4 };
}

type Words = readonly [number, number, number, number, number];

export function copyWords(words: GroupWords, code: Uint32Array): void {
  code[0] = words.word0;
  code[1] = words.word1;
  code[2] = words.word2;
  code[3] = words.word3;
  code[4] = words.word4;
}

/** Negative when the character is not of the alphabet: a sign that no `|` loses. */
function digitAt(group: string, at: number): number {
  const character = group.charCodeAt(at);
  return character < 128 ? DIGITS[character]! : NOT_A_DIGIT;
}

/** Written out, not looped: reading the id is the largest part of what counting a request costs. */
function sixDigitsAt(group: string, at: number): number {
  const a = digitAt(group, at);
  const b = digitAt(group, at + 1);
  const c = digitAt(group, at + 2);
  const d = digitAt(group, at + 3);
  const e = digitAt(group, at + 4);
  const f = digitAt(group, at + 5);
  const sign = (a | b | c | d | e | f) & NOT_A_DIGIT;
  return (a << 25) | (b << 20) | (c << 15) | (d << 10) | (e << 5) | f | sign;
}

/** 0 when what stands before the body is not 1 to 3 letters and an underscore. */
function encodeLetters(group: string, count: number): number {
  if (count < 1 || count > 3 || group.charCodeAt(count) !== UNDERSCORE) return 0;
  let letters = 0;
  for (let position = 0; position < count; position += 1) {
    const letter = group.charCodeAt(position) - BEFORE_A;
    if (letter < 1 || letter > 26) return 0;
    letters = (letters << 5) | letter;
  }
  return letters;
}

/** The id whose words stand in `words` from `offset` on. */
export function decodeGroup(words: Uint32Array, offset: number): string {
  const tail = words[offset + 4]!;
  let letters = '';
  for (let shift = 20; shift >= 10; shift -= 5) {
    const letter = (tail >>> shift) & 31;
    if (letter !== 0) letters += String.fromCharCode(BEFORE_A + letter);
  }
  let body = BASE32.charAt((tail >>> 5) & 31);
  for (let word = 0; word < 4; word += 1) {
    const bits = words[offset + word]!;
    for (let shift = 25; shift >= 0; shift -= 5) body += BASE32.charAt((bits >>> shift) & 31);
  }
  return `${letters}_${body}${BASE32.charAt(tail & 31)}`;
}

/** Spreads the words over 32 bits, one of them a sign. Not keyed: ids are ours, no caller chooses one. */
export function hashCode(words: Uint32Array, offset: number): number {
  let hash = words[offset + 4]!;
  for (let word = 0; word < 4; word += 1) {
    hash = Math.imul(hash ^ words[offset + word]!, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  hash = Math.imul(hash, 0x85ebca6b);
  return hash ^ (hash >>> 13);
}
