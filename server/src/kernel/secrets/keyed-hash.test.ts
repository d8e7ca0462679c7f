import { createHmac, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { keyedHash } from './keyed-hash.ts';

it('is HMAC-SHA-256 of any text, independent of earlier calls', () => {
  const key = randomBytes(32);
  const hashed = keyedHash(key);
  const expected = (text: string) => createHmac('sha256', key).update(text).digest('base64url');
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 3_000 }), (text) => {
      expect(hashed(text)).toBe(expected(text));
    }),
  );
  for (const text of ['', '\ud800', 'é'.repeat(5_000), '€'.repeat(70_000), 'short again'])
    expect(hashed(text)).toBe(expected(text));
});

it('is HMAC-SHA-256 of any bytes, also between texts', () => {
  const key = randomBytes(32);
  const hashed = keyedHash(key);
  const expected = (bytes: Uint8Array) =>
    createHmac('sha256', key).update(bytes).digest('base64url');
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.string(), (bytes, text) => {
      hashed(text);
      expect(hashed(bytes)).toBe(expected(bytes));
    }),
  );
  const long = randomBytes(100_000);
  expect(hashed(long)).toBe(expected(long));
});
