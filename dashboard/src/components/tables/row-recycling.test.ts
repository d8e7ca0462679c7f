import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeRows, type RowPlace } from './row-recycling.ts';

const from = (first: number, count: number) =>
  Array.from({ length: count }, (_, at) => `row ${first + at}`);
const shownBy = (places: readonly RowPlace[]) =>
  new Map(places.map(({ element, row }) => [element, row]));

describe('the elements of a list', () => {
  it('show the rows that come in place of those that go, and stay where they stand', () => {
    const before = placeRows([], from(0, 4), true);
    expect(placeRows(before, from(1, 4), false)).toEqual([
      { element: 0, row: 'row 4' },
      { element: 1, row: 'row 1' },
      { element: 2, row: 'row 2' },
      { element: 3, row: 'row 3' },
    ]);
  });

  it('stand in the order of their rows when that is asked for', () => {
    const scrolled = placeRows(placeRows([], from(0, 4), true), from(2, 4), false);
    const rested = placeRows(scrolled, from(2, 4), true);
    expect(rested.map(({ row }) => row)).toEqual(from(2, 4));
    expect(shownBy(rested)).toEqual(shownBy(scrolled));
  });

  it('are as many as the rows, each shown once, and a row that stays keeps its own', () => {
    const seen = fc.record({ first: fc.nat(30), count: fc.nat(12), inOrder: fc.boolean() });
    fc.assert(
      fc.property(fc.array(seen, { maxLength: 12 }), (steps) => {
        let places: RowPlace[] = [];
        for (const { first, count, inOrder } of steps) {
          const rows = from(first, count);
          const next = placeRows(places, rows, inOrder);
          expect(next.map(({ row }) => row).toSorted()).toEqual(rows.toSorted());
          expect(new Set(next.map(({ element }) => element)).size).toBe(count);
          const showed = shownBy(places);
          for (const [element, row] of shownBy(next))
            if ([...showed.values()].includes(row)) expect(showed.get(element)).toBe(row);
          expect(placeRows(next, rows, inOrder)).toEqual(next);
          places = next;
        }
      }),
    );
  });
});
