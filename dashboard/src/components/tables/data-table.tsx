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
import { DataTableHead, type SelectAll } from './data-table-head.tsx';
import { DataTableRow, ROW_HEIGHT } from './data-table-row.tsx';
import { fittingColumns } from './fitting-columns.ts';
import { useShownRows } from './row-recycling.ts';
import { useFocusedRow } from './use-focused-row.ts';

export interface Column<Row> {
  readonly id: string;
  readonly header: string;
  /** A track of a CSS grid: `minmax(12rem, 2fr)`, `8rem`. */
  readonly width: string;
  cell(row: Row): ReactNode;
  readonly align?: 'end';
  readonly sortable?: boolean;
  /** Columns with a higher number are left out first when the table is too narrow. */
  readonly optional?: 1 | 2 | 3 | 4;
  /** The header is read out, and not drawn: for actions. */
  readonly headerHidden?: boolean;
}

export interface Sort {
  readonly column: string;
  readonly direction: 'ascending' | 'descending';
}

interface DataTableProps<Row> {
  readonly label: string;
  /** Defined outside the component, or memoised: rows are drawn again when it changes. */
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  rowKey(row: Row): string;
  /** Enter and a click on a row. */
  readonly onOpen?: (row: Row) => void;
  readonly sort?: Sort | undefined;
  readonly onSort?: (sort: Sort) => void;
  readonly isLoading?: boolean;
  /** Rows of an earlier query, shown dimmed until the new ones arrive. */
  readonly isOutdated?: boolean;
  readonly hasMore?: boolean;
  readonly isLoadingMore?: boolean;
  readonly onMore?: () => void;
  /** Rows can be ticked: with the mouse, or with Space. */
  readonly selection?: {
    readonly selected: ReadonlySet<string>;
    onToggle(row: Row): void;
    /** Selects these rows, or none: all that are loaded. */
    onToggleAll?(rows: readonly Row[]): void;
    /** What a tick is called: `Select Billing, production`. */
    labelOf(row: Row): string;
  };
  /**
   * Elements that are scrolled out of sight show the rows that come into it, which is much cheaper
   * than to make new ones. Only where cells keep nothing of their own, such as an open menu: the
   * next row would find it.
   */
  readonly reusesRows?: boolean;
  /** Names the list: whoever comes back to it finds it scrolled as it was. */
  readonly remember?: string;
  /** In place of the rows when there are none. */
  readonly empty?: ReactNode;
  /** `fill` takes the height that is left on a page with `fill`; `content` grows with its rows. */
  readonly height?: 'fill' | 'content';
}

/** Where the list that was scrolled last stood. */
let lastScrolled = { name: '', top: 0 };

/** How near to the end the next page is asked for. */
const MORE_AHEAD_ROWS = 40;

/**
 * A list of any length: only the rows in sight exist. A grid with one tab stop, whose rows are
 * walked with arrows, Page Up and Down, Home and End; Enter opens.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { rows, rowKey, onOpen, onMore, hasMore, isLoadingMore, height = 'fill' } = props;
  const { selection, remember } = props;
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
  const shown = useShownRows(items, (index) => rowKey(rows[index]!), {
    reuses: props.reusesRows ?? false,
    isScrolling: virtualizer.isScrolling,
  });
  const lastIndex = items.at(-1)?.index ?? -1;

  useEffect(() => {
    if (hasMore && !isLoadingMore && lastIndex >= rows.length - MORE_AHEAD_ROWS) onMore?.();
  }, [hasMore, isLoadingMore, lastIndex, rows.length, onMore]);

  useLayoutEffect(() => {
    if (remember === undefined || !scroller.current) return;
    scroller.current.scrollTop = lastScrolled.name === remember ? lastScrolled.top : 0;
  }, [remember]);

  const [active, setActive] = useState(0);
  const tabStop = items.some(({ index }) => index === active) ? active : items[0]?.index;
  const moveTo = useCallback(
    (index: number) => {
      const target = Math.max(0, Math.min(virtualizer.options.count - 1, index));
      setActive(target);
      virtualizer.scrollToIndex(target);
      // The row may exist only after the scroll has been drawn.
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
      // The shell bounds the height of a page that has one of these.
      data-fills-page={height === 'fill' ? '' : undefined}
      className={cx(
        'relative min-w-0 overflow-hidden rounded-xl border border-line bg-surface',
        // As high as its rows, as far as the page has room.
        height === 'fill' && 'flex flex-initial flex-col',
      )}
      style={height === 'fill' ? { minHeight: leastHeight(rows.length, isEmpty) } : undefined}
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
            if (remember !== undefined)
              lastScrolled = { name: remember, top: event.currentTarget.scrollTop };
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
                // Not at once: most queries are answered before anyone notices.
                props.isOutdated && 'opacity-50 delay-200',
              )}
              style={{ height: virtualizer.getTotalSize() }}
            >
              {shown.map(({ element, item }) => (
                <DataTableRow
                  key={element}
                  row={rows[item.index]!}
                  index={item.index}
                  top={item.start}
                  columns={columns}
                  template={template}
                  isTabStop={item.index === tabStop}
                  onOpen={onOpen}
                  onMove={moveTo}
                  isSelected={selection?.selected.has(rowKey(rows[item.index]!))}
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

/** The rows in sight and one more, in their order. */
function withRow(range: Range, index: number | null): number[] {
  const indexes = defaultRangeExtractor(range);
  if (index === null || indexes.includes(index)) return indexes;
  return [...indexes, index].sort((a, b) => a - b);
}

const HEAD_HEIGHT = 38;
const LEAST_HEIGHT = 288;

/** On a small screen the page scrolls rather than that a list is squeezed to nothing. */
const leastHeight = (rows: number, isEmpty: boolean): number =>
  isEmpty ? LEAST_HEIGHT : Math.min(LEAST_HEIGHT, HEAD_HEIGHT + rows * ROW_HEIGHT);

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
