import { type FocusEvent, useMemo, useState } from 'react';

/**
 * The row that has or contains the focus. It stays in the DOM even when it is scrolled out, so that
 * keyboard navigation continues from it instead of the top of the page.
 */
export function useFocusedRow<Row>(rows: readonly Row[], rowKey: (row: Row) => string) {
  const [focused, setFocused] = useState<{ index: number; key: string } | null>(null);
  const index = useMemo(() => {
    if (focused === null) return null;
    const isSame = (row: Row | undefined) => row !== undefined && rowKey(row) === focused.key;
    // After a refetch, the row may have another index.
    const found = isSame(rows[focused.index]) ? focused.index : rows.findIndex(isSame);
    return found < 0 ? null : found;
  }, [focused, rows, rowKey]);
  return {
    index,
    onFocus({ target }: FocusEvent<HTMLElement>) {
      const at = Number(target.closest<HTMLElement>('[data-index]')?.dataset.index);
      const row = rows[at];
      setFocused(row === undefined ? null : { index: at, key: rowKey(row) });
    },
    onBlur: () => setFocused(null),
  };
}
