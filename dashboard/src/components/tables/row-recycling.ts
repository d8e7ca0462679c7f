import type { VirtualItem } from '@tanstack/react-virtual';
import { useRef } from 'react';

/** An element of the list and the row that it shows. */
export interface RowPlace {
  readonly element: number;
  readonly row: string;
}

/**
 * Which element shows which row, in the order of the elements. A row that was in sight keeps its
 * element; one that comes into sight takes an element whose row has gone, where it stands: nothing
 * is made, removed or moved while one scrolls. `inOrder` puts them in the order of the rows, for
 * whoever reads the page instead of looking at it.
 */
export function placeRows(
  before: readonly RowPlace[],
  rows: readonly string[],
  inOrder: boolean,
): RowPlace[] {
  const at = new Map(rows.map((row, index) => [row, index]));
  const shown = new Set(before.map(({ row }) => row));
  const coming = rows.filter((row) => !shown.has(row));
  const places = before.flatMap((place) => {
    if (at.has(place.row)) return [place];
    const row = coming.shift();
    return row === undefined ? [] : [{ element: place.element, row }];
  });
  let unused = before.reduce((most, { element }) => Math.max(most, element), -1) + 1;
  for (const row of coming) places.push({ element: unused++, row });
  return inOrder ? places.sort((a, b) => at.get(a.row)! - at.get(b.row)!) : places;
}

interface ShownRow {
  readonly element: number | string;
  readonly item: VirtualItem;
}

/** What is drawn of a list: which element shows which of the rows in sight, and in what order. */
export function useShownRows(
  items: readonly VirtualItem[],
  keyAt: (index: number) => string,
  { reuses, isScrolling }: { readonly reuses: boolean; readonly isScrolling: boolean },
): ShownRow[] {
  const places = useRef<RowPlace[]>([]);
  const byKey = new Map(items.map((item) => [keyAt(item.index), item]));
  if (!reuses) return [...byKey].map(([element, item]) => ({ element, item }));
  // Drawing the same rows twice places them the same: it does not matter that a ref is written here.
  places.current = placeRows(places.current, [...byKey.keys()], !isScrolling);
  return places.current.map(({ element, row }) => ({ element, item: byKey.get(row)! }));
}
