import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BASE32, createIds, ID_PREFIXES } from '../kernel/ids.ts';
import {
  CODE_WORDS,
  decodeGroup,
  encodeGroup,
  hashCode,
  wordsOf as keptWordsOf,
} from './group-code.ts';

const body = fc
  .array(fc.constantFrom(...BASE32), { minLength: 26, maxLength: 26 })
  .map((characters) => characters.join(''));
const prefix = fc.stringMatching(/^[a-z]{1,3}$/);
const id = fc.tuple(prefix, body).map(([letters, text]) => `${letters}_${text}`);

const wordsOf = (group: string): Uint32Array => {
  const code = new Uint32Array(CODE_WORDS);
  encodeGroup(group, code);
  return code;
};

it('gives every id back as it was', () => {
  fc.assert(fc.property(id, (group) => decodeGroup(wordsOf(group), 0) === group));
});

it('keeps the same words, and where they lead', () => {
  fc.assert(
    fc.property(id, (group) => {
      const code = wordsOf(group);
      const { spread, word0, word1, word2, word3, word4 } = keptWordsOf(group);
      expect([word0, word1, word2, word3, word4]).toEqual([...code]);
      expect(spread).toBe(hashCode(code, 0));
      // Small, so that a key does not need an object for it.
      expect(spread).toBe(spread | 0);
    }),
  );
});

it('never marks an id as an empty slot', () => {
  fc.assert(fc.property(id, (group) => wordsOf(group)[4] !== 0));
});

it('takes every kind of id that the service makes', () => {
  const makeId = createIds();
  for (const kind of ID_PREFIXES) {
    const group = makeId(kind);
    expect(decodeGroup(wordsOf(group), 0)).toBe(group);
  }
});

it.each([
  '',
  'key_',
  'x'.repeat(26),
  `_${'0'.repeat(26)}`,
  `keys_${'0'.repeat(26)}`,
  `KEY_${'0'.repeat(26)}`,
  `key-${'0'.repeat(26)}`,
  `key_${'0'.repeat(25)}`,
  `key_${'0'.repeat(27)}`,
  `key_${'0'.repeat(25)}u`,
  `key_u${'0'.repeat(25)}`,
  `key_${'0'.repeat(12)}é${'0'.repeat(13)}`,
])('refuses %j rather than count it with another', (group) => {
  expect(() => wordsOf(group)).toThrow(RangeError);
});
