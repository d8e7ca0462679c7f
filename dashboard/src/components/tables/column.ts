import type { ReactNode } from 'react';

export interface Column<Row> {
  readonly id: string;
  readonly header: string;
  /** A track of a CSS grid: `minmax(12rem, 2fr)`, `8rem`. */
  readonly width: string;
  cell(row: Row): ReactNode;
  readonly align?: 'end';
  readonly sortable?: boolean;
  /** If the table is too narrow, columns with the highest number are hidden first. */
  readonly optional?: 1 | 2 | 3 | 4;
  /** The header is for screen readers only, for example in the column of actions. */
  readonly headerHidden?: boolean;
}

export interface Sort {
  readonly column: string;
  readonly direction: 'ascending' | 'descending';
}
