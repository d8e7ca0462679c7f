import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import {
  type ReactNode,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useElementWidth } from '../../hooks/use-element-width.ts';
import { cx } from '../cx.ts';
import { Skeleton, Spinner } from '../feedback/loading.tsx';
import type { Column, Sort } from './column.ts';
import { DataTableHead, type SelectAll } from './data-table-head.tsx';
import { DataTableRow, ROW_HEIGHT } from './data-table-row.tsx';
import { fittingColumns } from './fitting-columns.ts';
import { useFocusedRow } from './use-focused-row.ts';

interface DataTableProps<Row> {
  readonly label: string;
  /** Define it outside the component, or memoize it: rows render again when it changes. */
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  rowKey(row: Row): string;
  /** Called on Enter and on a click. */
  readonly onOpen?: (row: Row) => void;
  readonly sort?: Sort | undefined;
  readonly onSort?: (sort: Sort) => void;
  readonly isLoading?: boolean;
  /** Rows of an earlier query, shown dimmed until the new ones arrive. */
  readonly isOutdated?: boolean;
  readonly hasMore?: boolean;
  readonly isLoadingMore?: boolean;
  readonly onMore?: () => void;
  /** Rows can be selected with the mouse or with Space. */
  readonly selection?: {
    readonly selected: ReadonlySet<string>;
    onToggle(row: Row): void;
    /** Called with all loaded rows, or with none. */
    onToggleAll?(rows: readonly Row[]): void;
    /** Accessible name of a checkbox: `Select Billing, production`. */
    labelOf(row: Row): string;
  };
  /** Identifies the list, to restore its scroll position when the user returns. */
  readonly scrollKey?: string;
  /** Shown if there are no rows. */
  readonly empty?: ReactNode;
  /** `fill` takes the remaining height of the page; `content` grows with its rows. */
  readonly height?: 'fill' | 'content';
}

/** Scroll position of the list that was scrolled last. */
let lastScrolled = { key: '', top: 0 };

/** Distance to the end, in rows, at which the next page is fetched. */
const PREFETCH_ROWS = 40;

/**
 * A list of any length; only visible rows exist in the DOM. It is a grid with one tab stop. Arrow
 * keys, Page Up, Page Down, Home and End move between rows, and Enter opens one.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { rows, rowKey, onOpen, onMore, hasMore, isLoadingMore, height = 'fill' } = props;
  const { selection, scrollKey } = props;
  const { ref: measured, width } = useElementWidth();
  const hasSelection = selection !== undefined;
  const columns = useMemo(
    () => fittingColumns(props.columns, width, hasSelection, rootFontPx()),
    [props.columns, width, hasSelection],
  );
  const template = [selection && '1rem', ...columns.map((column) => column.width)]
    .filter(Boolean)
    .join(' ');
  const scroller = useRef<HTMLDivElement>(null);
  const focused = useFocusedRow(rows, rowKey);
  const focusedIndex = focused.index;
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 8,
    rangeExtractor: useCallback((range: Range) => withRow(range, focusedIndex), [focusedIndex]),
  });
  const items = virtualizer.getVirtualItems();
  const lastIndex = items.at(-1)?.index ?? -1;

  useEffect(() => {
    if (hasMore && !isLoadingMore && lastIndex >= rows.length - PREFETCH_ROWS) onMore?.();
  }, [hasMore, isLoadingMore, lastIndex, rows.length, onMore]);

  useLayoutEffect(() => {
    if (scrollKey === undefined || !scroller.current) return;
    scroller.current.scrollTop = lastScrolled.key === scrollKey ? lastScrolled.top : 0;
  }, [scrollKey]);

  const [active, setActive] = useState(0);
  const tabStop = items.some(({ index }) => index === active) ? active : items[0]?.index;
  const moveTo = useCallback(
    (index: number) => {
      const target = Math.max(0, Math.min(virtualizer.options.count - 1, index));
      setActive(target);
      virtualizer.scrollToIndex(target);
      // The row may exist only after the scroll has been rendered.
      requestAnimationFrame(() =>
        requestAnimationFrame(() =>
          scroller.current?.querySelector<HTMLElement>(`[data-index="${target}"]`)?.focus(),
        ),
      );
    },
    [virtualizer],
  );

  const isEmpty = rows.length === 0;
  return (
    <div
      ref={measured}
      // The shell limits the height of a page that contains this attribute.
      data-fills-page={height === 'fill' ? '' : undefined}
      className={cx(
        'relative min-w-0 overflow-hidden rounded-xl border border-line bg-surface',
        // As high as its rows, up to the height of the page.
        height === 'fill' && 'flex flex-initial flex-col',
      )}
      style={height === 'fill' ? { minHeight: minHeightOf(rows.length, isEmpty) } : undefined}
    >
      {isEmpty && !props.isLoading ? (
        (props.empty ?? <p className="p-8 text-center text-muted">Nothing to show.</p>)
      ) : (
        <div
          ref={scroller}
          role="grid"
          aria-label={props.label}
          aria-rowcount={hasMore ? -1 : rows.length + 1}
          aria-busy={props.isLoading || props.isOutdated || isLoadingMore}
          aria-multiselectable={selection ? true : undefined}
          onFocus={focused.onFocus}
          onBlur={focused.onBlur}
          onScroll={(event) => {
            if (scrollKey !== undefined)
              lastScrolled = { key: scrollKey, top: event.currentTarget.scrollTop };
          }}
          className={cx(
            'min-h-0 overflow-auto bg-surface',
            height === 'content' && 'max-h-[32rem]',
          )}
        >
          <DataTableHead
            columns={columns}
            template={template}
            sort={props.sort}
            onSort={props.onSort}
            selection={selection && selectAll(selection, rows)}
          />
          {props.isLoading ? (
            <LoadingRows />
          ) : (
            <div
              role="rowgroup"
              className={cx(
                'relative transition-opacity',
                // Delayed, because most queries finish before the user would notice.
                props.isOutdated && 'opacity-50 delay-200',
              )}
              style={{ height: virtualizer.getTotalSize() }}
            >
              {items.map(({ index, start }) => (
                <DataTableRow
                  key={rowKey(rows[index]!)}
                  row={rows[index]!}
                  index={index}
                  top={start}
                  columns={columns}
                  template={template}
                  isTabStop={index === tabStop}
                  onOpen={onOpen}
                  onMove={moveTo}
                  isSelected={selection?.selected.has(rowKey(rows[index]!))}
                  onToggle={selection?.onToggle}
                  selectLabel={selection?.labelOf}
                />
              ))}
            </div>
          )}
          {isLoadingMore && (
            <div className="flex h-11 items-center justify-center text-muted">
              <Spinner label="Loading more…" />
            </div>
          )}
        </div>
      )}
    </div>
  );
}

function selectAll<Row>(
  { selected, onToggleAll }: NonNullable<DataTableProps<Row>['selection']>,
  rows: readonly Row[],
): SelectAll {
  const isAll = rows.length > 0 && selected.size >= rows.length;
  return {
    state: isAll ? 'all' : selected.size > 0 ? 'some' : 'none',
    onToggle: onToggleAll && (() => onToggleAll(isAll ? [] : rows)),
  };
}

const rootFontPx = (): number =>
  Number.parseFloat(getComputedStyle(document.documentElement).fontSize);

/** The visible rows and one more, in order. */
function withRow(range: Range, index: number | null): number[] {
  const indexes = defaultRangeExtractor(range);
  if (index === null || indexes.includes(index)) return indexes;
  return [...indexes, index].sort((a, b) => a - b);
}

const HEAD_HEIGHT = 38;
const MIN_HEIGHT = 288;

/** On a small screen, the page scrolls instead of the list becoming too small. */
const minHeightOf = (rows: number, isEmpty: boolean): number =>
  isEmpty ? MIN_HEIGHT : Math.min(MIN_HEIGHT, HEAD_HEIGHT + rows * ROW_HEIGHT);

const LOADING_ROWS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

const LoadingRows = () => (
  <div role="rowgroup">
    {LOADING_ROWS.map((row) => (
      <div key={row} role="row" style={{ height: ROW_HEIGHT }} className="flex items-center px-4">
        <span role="gridcell" className="w-full">
          <span className="sr-only">Loading…</span>
          <Skeleton className="h-4 w-full" />
        </span>
      </div>
    ))}
  </div>
);
