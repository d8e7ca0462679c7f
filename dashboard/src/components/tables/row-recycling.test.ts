import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assignRows, type RowSlot } from './row-recycling.ts';

const from = (first: number, count: number) =>
  Array.from({ length: count }, (_, at) => `row ${first + at}`);
const shownBy = (slots: readonly RowSlot[]) =>
  new Map(slots.map(({ element, row }) => [element, row]));

describe('row elements', () => {
  it('reuse elements of removed rows without moving them', () => {
    const before = assignRows([], from(0, 4), true);
    expect(assignRows(before, from(1, 4), false)).toEqual([
      { element: 0, row: 'row 4' },
      { element: 1, row: 'row 1' },
      { element: 2, row: 'row 2' },
      { element: 3, row: 'row 3' },
    ]);
  });

  it('are sorted by row with inOrder', () => {
    const scrolled = assignRows(assignRows([], from(0, 4), true), from(2, 4), false);
    const rested = assignRows(scrolled, from(2, 4), true);
    expect(rested.map(({ row }) => row)).toEqual(from(2, 4));
    expect(shownBy(rested)).toEqual(shownBy(scrolled));
  });

  it('show each row exactly once, and keep the element of a visible row', () => {
    const seen = fc.record({ first: fc.nat(30), count: fc.nat(12), inOrder: fc.boolean() });
    fc.assert(
      fc.property(fc.array(seen, { maxLength: 12 }), (steps) => {
        let slots: RowSlot[] = [];
        for (const { first, count, inOrder } of steps) {
          const rows = from(first, count);
          const next = assignRows(slots, rows, inOrder);
          expect(next.map(({ row }) => row).toSorted()).toEqual(rows.toSorted());
          expect(new Set(next.map(({ element }) => element)).size).toBe(count);
          const showed = shownBy(slots);
          for (const [element, row] of shownBy(next))
            if ([...showed.values()].includes(row)) expect(showed.get(element)).toBe(row);
          expect(assignRows(next, rows, inOrder)).toEqual(next);
          slots = next;
        }
      }),
    );
  });
});
