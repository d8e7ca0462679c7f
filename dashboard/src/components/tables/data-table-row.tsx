import { type KeyboardEvent, type MouseEvent, memo } from 'react';
import { cx } from '../cx.ts';
import type { Column } from './column.ts';

interface DataTableRowProps<Row> {
  readonly row: Row;
  readonly index: number;
  readonly top: number;
  readonly columns: readonly Column<Row>[];
  readonly template: string;
  readonly isTabStop: boolean;
  readonly onOpen: ((row: Row) => void) | undefined;
  /** Indexes beyond the first or last row are clamped. */
  onMove(index: number): void;
  /** Undefined if rows cannot be selected. */
  readonly isSelected: boolean | undefined;
  readonly onToggle: ((row: Row) => void) | undefined;
  readonly selectLabel: ((row: Row) => string) | undefined;
}

/** In pixels, because the virtualizer measures in pixels, at any font size. */
export const ROW_HEIGHT = 44;

const PAGE_ROWS = 10;

function PlainRow<Row>(props: DataTableRowProps<Row>) {
  const { row, index, top, columns, template, isTabStop, onOpen, onMove } = props;
  const { isSelected, onToggle, selectLabel } = props;

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>) {
    const element = event.currentTarget;
    if (event.target !== element) {
      if (event.key === 'ArrowLeft' && element.contains(event.target as Node)) element.focus();
      return;
    }
    if (event.key === 'ArrowRight') return rowMenu(element)?.focus();
    const target = targetOf(event.key, index);
    if (target !== null) {
      event.preventDefault();
      onMove(target);
    } else if (event.key === 'Enter' && onOpen) {
      event.preventDefault();
      onOpen(row);
    } else if (event.key === ' ' && onToggle) {
      event.preventDefault();
      onToggle(row);
    }
  }

  function onClick(event: MouseEvent<HTMLDivElement>) {
    // React also passes on clicks in the menu of the row, which is elsewhere in the DOM.
    if (!event.currentTarget.contains(event.target as Node)) return;
    // Clicks on controls and text selections do not open the row.
    if ((event.target as HTMLElement).closest('a, button, input, label, select')) return;
    if (!getSelection()?.isCollapsed) return;
    onOpen?.(row);
  }

  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      data-index={index}
      tabIndex={isTabStop ? 0 : -1}
      onKeyDown={onKeyDown}
      onClick={onClick}
      style={{
        gridTemplateColumns: template,
        height: ROW_HEIGHT,
        top,
      }}
      className={cx(
        'absolute inset-x-0 grid contain-strict items-center gap-4 border-line border-b px-4 text-sm focus-visible:-outline-offset-2 focus-visible:bg-hover focus-visible:outline-2 focus-visible:outline-focus',
        onOpen && 'cursor-pointer hover:bg-hover',
        isSelected && 'bg-accent-soft',
      )}
    >
      {onToggle && (
        <div role="gridcell" className="flex">
          {/* The click target has the full height of the row. The keyboard selects the row itself. */}
          <label className="-ml-4 flex h-11 w-10 items-center pl-4">
            <input
              type="checkbox"
              tabIndex={-1}
              aria-label={selectLabel?.(row)}
              checked={isSelected ?? false}
              onChange={() => onToggle(row)}
              className="size-4"
            />
          </label>
        </div>
      )}
      {columns.map((column) => (
        <div
          key={column.id}
          role="gridcell"
          className={cx('min-w-0 truncate', column.align === 'end' && 'text-right')}
        >
          {column.cell(row)}
        </div>
      ))}
    </div>
  );
}

export const DataTableRow = memo(PlainRow) as typeof PlainRow;

/** The menu button is not a tab stop. The right arrow moves the focus to it, the left arrow back. */
const rowMenu = (row: HTMLElement) => row.querySelector<HTMLElement>('[aria-haspopup="menu"]');

function targetOf(key: string, index: number): number | null {
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return index + 1;
    case 'ArrowUp':
    case 'k':
      return index - 1;
    case 'PageDown':
      return index + PAGE_ROWS;
    case 'PageUp':
      return index - PAGE_ROWS;
    case 'Home':
      return 0;
    case 'End':
      return Number.POSITIVE_INFINITY;
    default:
      return null;
  }
}
