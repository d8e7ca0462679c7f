import { hash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sha256 } from '../../src/local/sha256.ts';

const inHex = (text: string): string =>
  Array.from(sha256(text), (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');

it('is SHA-256 of the UTF-8 form, at every length around the ends of blocks', () => {
  for (let length = 0; length <= 200; length++) {
    for (const letter of ['k', 'é', '鍵', '🔑']) {
      const text = letter.repeat(length);
      expect(inHex(text), `${length} ${letter}`).toBe(hash('sha256', text, 'hex'));
    }
  }
});

it('is SHA-256 of any text, also right after another', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.string({ unit: 'binary-ascii', maxLength: 60 }),
  );
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (texts) => {
      expect(texts.map(inHex)).toEqual(texts.map((each) => hash('sha256', each, 'hex')));
    }),
  );
});
