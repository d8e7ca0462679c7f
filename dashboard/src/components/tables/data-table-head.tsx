import { ArrowDown, ArrowUp, ArrowUpDown } from 'lucide-react';
import { cx } from '../cx.ts';
import type { Column, Sort } from './column.ts';

export interface SelectAll {
  readonly state: 'none' | 'some' | 'all';
  readonly onToggle: (() => void) | undefined;
}

interface DataTableHeadProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly template: string;
  readonly sort: Sort | undefined;
  readonly onSort: ((sort: Sort) => void) | undefined;
  /** Undefined if rows cannot be selected. */
  readonly selection: SelectAll | undefined;
}

export function DataTableHead<Row>(props: DataTableHeadProps<Row>) {
  const { columns, template, sort, onSort, selection } = props;
  return (
    <div role="rowgroup" className="sticky top-0 z-10">
      <div
        role="row"
        aria-rowindex={1}
        style={{ gridTemplateColumns: template }}
        className="grid h-9 items-center gap-4 border-line border-b bg-sunken px-4 font-medium text-muted text-xs"
      >
        {selection && (
          <div role="columnheader" className="flex">
            {selection.onToggle ? (
              <label className="-ml-4 flex h-9 w-10 items-center pl-4">
                <input
                  type="checkbox"
                  aria-label="Select all rows"
                  checked={selection.state === 'all'}
                  ref={(input) => {
                    if (input) input.indeterminate = selection.state === 'some';
                  }}
                  onChange={selection.onToggle}
                  className="size-4"
                />
              </label>
            ) : (
              <span className="sr-only">Selected</span>
            )}
          </div>
        )}
        {columns.map((column) => {
          const direction = sort?.column === column.id ? sort.direction : undefined;
          return (
            <div
              key={column.id}
              role="columnheader"
              aria-sort={column.sortable ? (direction ?? 'none') : undefined}
              className={cx('min-w-0 truncate', column.align === 'end' && 'text-right')}
            >
              {column.sortable && onSort ? (
                <button
                  type="button"
                  onClick={() => onSort({ column: column.id, direction: opposite(direction) })}
                  className="inline-flex h-6 items-center gap-1 rounded hover:text-ink"
                >
                  {column.header}
                  <SortMark direction={direction} />
                </button>
              ) : (
                <span className={column.headerHidden ? 'sr-only' : ''}>{column.header}</span>
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

const opposite = (direction: Sort['direction'] | undefined): Sort['direction'] =>
  direction === 'descending' ? 'ascending' : 'descending';

function SortMark({ direction }: { readonly direction: Sort['direction'] | undefined }) {
  const Mark = { ascending: ArrowUp, descending: ArrowDown, none: ArrowUpDown }[
    direction ?? 'none'
  ];
  return <Mark aria-hidden className={cx('size-3', !direction && 'opacity-60')} />;
}
