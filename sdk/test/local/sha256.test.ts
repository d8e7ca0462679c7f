import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../src/local/sha256.ts';
import { sha256InJavaScript } from '../../src/local/sha256-in-javascript.ts';

describe.each([
  ['the hash in JavaScript', sha256InJavaScript],
  ['the hash chosen for this runtime', sha256],
])('%s', (_, digestOf) => {
  const inHex = (text: string): string => Buffer.from(digestOf(text), 'latin1').toString('hex');

  it('is SHA-256 of the UTF-8 bytes, at every length around block boundaries', () => {
    for (let length = 0; length <= 200; length++) {
      for (const letter of ['k', 'é', '鍵', '🔑', '\ud800']) {
        const text = letter.repeat(length);
        expect(inHex(text), `${length} ${letter}`).toBe(hash('sha256', text, 'hex'));
      }
    }
  });

  it('is SHA-256 of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        expect(inHex(text)).toBe(hash('sha256', text, 'hex'));
      }),
    );
  });
});

it('uses the hash of the runtime if there is one', () => {
  expect(sha256).not.toBe(sha256InJavaScript);
});
