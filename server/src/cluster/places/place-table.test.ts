import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byPlace, type Place, PlaceTable } from './place-table.ts';

/** Few bits, so that places crowd, wrap around the end and share all words but one. */
const placeArb = fc.record({
  a: fc.constantFrom(0, 1, -1),
  b: fc.constantFrom(0, 1, 6, 7, 15, -1),
  c: fc.constantFrom(0, 5),
  d: fc.constantFrom(1, 3, -1),
});
const step = fc.record({ place: placeArb, action: fc.constantFrom('set', 'set', 'delete') });
const { newTable, textOf } = byPlace<number>();

describe('a table of places', () => {
  it('holds what a Map of their texts would', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const table = newTable();
        const model = new Map<string, number>();
        const seen = new Map<string, Place>();
        steps.forEach(({ place, action }, n) => {
          seen.set(textOf(place), place);
          if (action === 'set') {
            table.set({ ...place }, n);
            model.set(textOf(place), n);
          } else {
            table.delete(place);
            model.delete(textOf(place));
          }
          expect(table.size).toBe(model.size);
          for (const [text, known] of seen) expect(table.get(known)).toBe(model.get(text));
        });
      }),
    );
  });

  it('grows, and finds everything again', () => {
    const table = new PlaceTable<number>();
    const place = (n: number): Place => ({ a: Math.imul(n, 0x9e3779b1), b: n, c: 0, d: 1 });
    for (let n = 0; n < 20_000; n++) table.set(place(n), n);
    for (let n = 0; n < 20_000; n += 2) table.delete(place(n));
    expect(table.size).toBe(10_000);
    const found = Array.from({ length: 20_000 }, (_, n) => table.get(place(n)));
    expect(found).toEqual(found.map((_, n) => (n % 2 === 0 ? undefined : n)));
  });
});
