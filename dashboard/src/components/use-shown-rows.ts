import type { VirtualItem } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { placeRows, type RowPlace } from './row-places.ts';

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
