import { createHmac, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { keyedHash } from './keyed-hash.ts';

it('is HMAC-SHA-256 of any text, whatever was hashed before', () => {
  const key = randomBytes(32);
  const hashed = keyedHash(key);
  const told = (text: string) => createHmac('sha256', key).update(text).digest('base64url');
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 3_000 }), (text) => {
      expect(hashed(text)).toBe(told(text));
    }),
  );
  for (const text of ['', '\ud800', 'é'.repeat(5_000), '€'.repeat(70_000), 'short again'])
    expect(hashed(text)).toBe(told(text));
});

it('is that of any bytes, between texts', () => {
  const key = randomBytes(32);
  const hashed = keyedHash(key);
  const told = (bytes: Uint8Array) => createHmac('sha256', key).update(bytes).digest('base64url');
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.string(), (bytes, text) => {
      hashed(text);
      expect(hashed(bytes)).toBe(told(bytes));
    }),
  );
  const long = randomBytes(100_000);
  expect(hashed(long)).toBe(told(long));
});
