import fc from 'fast-check';
import { expect, it } from 'vitest';
import { packed, unpacked } from './number-block.ts';

const number = fc.oneof(fc.integer(), fc.double({ noNaN: true }));
const cell = fc.oneof({ weight: 9, arbitrary: number }, fc.constantFrom(null, 'text', 7n));
const rowsOf = (value: fc.Arbitrary<unknown>) =>
  fc
    .integer({ min: 1, max: 9 })
    .chain((width) => fc.array(fc.array(value, { minLength: width, maxLength: width })));

it('rows come out as they went in, whatever they hold', () => {
  const anything = fc.oneof(rowsOf(number), rowsOf(cell), fc.array(fc.array(number)));
  fc.assert(
    fc.property(anything, (rows) => {
      expect(unpacked(structuredClone(packed(rows)))).toEqual(rows);
    }),
  );
});

it('many rows of numbers travel as one block, and others as they are', () => {
  const rows = Array.from({ length: 100 }, (_, n) => [n, Date.UTC(2030, 0, 1) + n]);
  expect(packed(rows)).toEqual({ width: 2, numbers: Float64Array.from(rows.flat()) });
  for (const other of [[...rows, [1, null]], [...rows, [1]], rows.slice(0, 2), []])
    expect(packed(other)).toBe(other);
});
