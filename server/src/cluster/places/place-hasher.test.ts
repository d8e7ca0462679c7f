import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BLOCK_BYTES, INITIAL_STATE } from './blake2s-code.ts';
import { AT_ONCE, compression, ONE_BLOCK_MAX, PlaceHasher } from './place-hasher.ts';
import type { Place } from './place-table.ts';

const SECRET = Buffer.from(Array.from({ length: 32 }, (_, n) => n));
const newHasher = () => new PlaceHasher((bytes) => void SECRET.copy(bytes));

/** What the place is said to be, by Node's own hash. */
function expected(owner: string, value: string): Place {
  const text = Buffer.concat([SECRET, hash('sha256', owner, 'buffer'), Buffer.from(value)]);
  const digest = hash('blake2s256', text, 'buffer');
  const [a, b, c, d] = [0, 4, 8, 12].map((at) => digest.readInt32LE(at)) as [
    number,
    number,
    number,
    number,
  ];
  return { a, b, c, d: d | 1 };
}

/** Around the end of a block, of one byte a character and of more. */
const values = fc.oneof(
  fc.string({ minLength: 0, maxLength: 64, size: 'max' }),
  fc.string({ minLength: 50, maxLength: 70, unit: fc.constantFrom('a', 'Z', '0') }),
  fc.string({ minLength: 15, maxLength: 64, unit: fc.constantFrom('é', '鍵', '🔑', 'k') }),
  fc.string({ minLength: 200, maxLength: 256 }),
);
const owners = fc.constantFrom('acc_one', 'acc_two', '');

describe('the place of a value', () => {
  it('is the start of BLAKE2s over the secret, the owner and the value, one by one', () => {
    const hasher = newHasher();
    fc.assert(
      fc.property(owners, values, (owner, value) => {
        expect({ ...hasher.placeOf(owner, value) }).toEqual(expected(owner, value));
      }),
    );
  });

  it('is that of a value of every length up to four blocks', () => {
    const hasher = newHasher();
    for (let length = 0; length <= 4 * BLOCK_BYTES; length++) {
      const value = 'v'.repeat(length);
      expect({ ...hasher.placeOf('acc', value) }).toEqual(expected('acc', value));
    }
  });

  it('does not depend on what was cut off before', () => {
    const hasher = newHasher();
    const [whole, half] = ['v'.repeat(61), '\ud83d'];
    for (const value of [whole, `${whole}🔑`, whole, whole + half, whole, `${whole}鍵`, whole])
      expect({ ...hasher.placeOf('acc', value) }).toEqual(expected('acc', value));
  });

  it('is the same where many are hashed side by side, whatever was hashed before', () => {
    const hasher = newHasher();
    fc.assert(
      fc.property(
        owners,
        fc.array(values, { maxLength: AT_ONCE + 3, size: 'max' }),
        (owner, all) => {
          const start = Math.min(3, all.length);
          const count = Math.min(AT_ONCE, all.length - start);
          hasher.hashSome(owner, all, start, count);
          const places = Array.from({ length: count }, (_, n) => ({ ...hasher.nth(n) }));
          expect(places).toEqual(all.slice(start, start + count).map((v) => expected(owner, v)));
        },
      ),
    );
  });

  it('is the same where values of one length stand in a piece of bytes', () => {
    const hasher = newHasher();
    const even = fc.record({
      length: fc.integer({ min: 1, max: ONE_BLOCK_MAX }),
      gap: fc.nat(5),
      first: fc.nat(9),
      count: fc.integer({ min: 0, max: AT_ONCE + 3 }),
      owner: owners,
      before: values,
    });
    fc.assert(
      fc.property(even, ({ length, gap, first, count, owner, before }) => {
        hasher.placeOf(owner, before);
        const step = length + gap;
        // In the middle of a larger block, and up to its very end.
        const bytes = Buffer.alloc(64 + first + count * step).subarray(64);
        for (let n = 0; n < bytes.length; n++) bytes[n] = 33 + ((n * 7) % 90);
        const start = Math.min(3, count);
        const some = Math.min(AT_ONCE, count - start);
        hasher.hashSome(owner, { bytes, first, step, length, count }, start, some);
        const valueAt = (n: number) =>
          bytes.subarray(first + n * step).toString('latin1', 0, length);
        for (let n = 0; n < some; n++)
          expect({ ...hasher.nth(n) }).toEqual(expected(owner, valueAt(start + n)));
        expect({ ...hasher.placeOf(owner, before) }).toEqual(expected(owner, before));
      }),
    );
  });

  it('does not depend on how many owners there were', () => {
    const hasher = newHasher();
    for (let n = 0; n < 10_002; n++) hasher.placeOf(`acc_${n}`, 'value');
    for (const owner of ['acc_0', 'acc_9999', 'acc_10001'])
      expect({ ...hasher.placeOf(owner, 'value') }).toEqual(expected(owner, 'value'));
  });

  it('is another in every process, for every owner and every value', () => {
    const places = [
      new PlaceHasher().placeOf('acc_one', 'value'),
      new PlaceHasher().placeOf('acc_one', 'value'),
      newHasher().placeOf('acc_one', 'value'),
      newHasher().placeOf('acc_two', 'value'),
      newHasher().placeOf('acc_one', 'other'),
    ];
    expect(new Set(places.map(({ a, b, c, d }) => `${a} ${b} ${c} ${d}`)).size).toBe(places.length);
  });
});

describe('our BLAKE2s', () => {
  it('gives all eight words of the digest', () => {
    const { memory, one } = compression();
    const words = new Int32Array(memory.buffer);
    words.set(INITIAL_STATE);
    Buffer.from(memory.buffer, 64, BLOCK_BYTES).write('abc', 'latin1');
    const [told, result] = [128, 256];
    words.set([3, 0, 0, 0, -1], told / 4);
    one(0, 64, told, result);
    const digest = Buffer.alloc(32);
    for (let n = 0; n < 8; n++) digest.writeInt32LE(words[result / 4 + 4 * n]!, 4 * n);
    expect(digest.toString('hex')).toBe(hash('blake2s256', 'abc'));
  });
});
