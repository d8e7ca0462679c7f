import type { VirtualItem } from '@tanstack/react-virtual';
import { useRef } from 'react';

/** An element of the list and the row that it shows. */
export interface RowSlot {
  readonly element: number;
  readonly row: string;
}

/**
 * Assigns rows to DOM elements. A visible row keeps its element; a new row reuses the element of a
 * row that scrolled out. `inOrder` sorts elements by row, for screen readers.
 */
export function assignRows(
  before: readonly RowSlot[],
  rows: readonly string[],
  inOrder: boolean,
): RowSlot[] {
  const at = new Map(rows.map((row, index) => [row, index]));
  const shown = new Set(before.map(({ row }) => row));
  const added = rows.filter((row) => !shown.has(row));
  const slots = before.flatMap((slot) => {
    if (at.has(slot.row)) return [slot];
    const row = added.shift();
    return row === undefined ? [] : [{ element: slot.element, row }];
  });
  let unused = before.reduce((max, { element }) => Math.max(max, element), -1) + 1;
  for (const row of added) slots.push({ element: unused++, row });
  return inOrder ? slots.sort((a, b) => at.get(a.row)! - at.get(b.row)!) : slots;
}

interface ShownRow {
  readonly element: number | string;
  readonly item: VirtualItem;
}

/** The visible rows with their elements, in the order of the elements. */
export function useShownRows(
  items: readonly VirtualItem[],
  keyAt: (index: number) => string,
  { reuses, isScrolling }: { readonly reuses: boolean; readonly isScrolling: boolean },
): ShownRow[] {
  const slots = useRef<RowSlot[]>([]);
  const byKey = new Map(items.map((item) => [keyAt(item.index), item]));
  if (!reuses) return [...byKey].map(([element, item]) => ({ element, item }));
  // Writing a ref during render is safe here: the same rows always get the same elements.
  slots.current = assignRows(slots.current, [...byKey.keys()], !isScrolling);
  return slots.current.map(({ element, row }) => ({ element, item: byKey.get(row)! }));
}
