import { cell, shorten, widthOf } from './cell.ts';
import type { Terminal } from './terminal.ts';

export type Row = Readonly<Record<string, unknown>>;

export interface Column {
  readonly field: string;
  readonly title: string;
  /** Never shortened: a truncated id is useless. */
  readonly whole?: boolean;
}

const GAP = '  ';
const MIN_WIDTH = 8;

/**
 * Prints rows as they arrive. The first page determines the widths, so that the list is not buffered.
 * Wider rows of later pages are shortened on a terminal, and exceed their columns in a file.
 */
export class Table {
  readonly #terminal: Terminal;
  readonly #columns: readonly Column[];
  #widths: readonly number[] | null = null;

  constructor(terminal: Terminal, columns: readonly Column[]) {
    this.#terminal = terminal;
    this.#columns = columns;
  }

  print(rows: readonly Row[]): void {
    const lines = rows.map((row) => this.#columns.map(({ field }) => cell(row[field])));
    if (this.#widths === null) {
      this.#widths = widthsFor(this.#columns, lines, this.#terminal.columns);
      const titles = this.#columns.map(({ title }) => title.toUpperCase());
      this.#terminal.out(`${this.#terminal.style('bold', this.#line(titles))}\n`);
    }
    this.#terminal.out(lines.map((line) => `${this.#line(line)}\n`).join(''));
  }

  #line(cells: readonly string[]): string {
    const shown = cells.map((text, n) => {
      const width = this.#widths![n]!;
      const fits =
        this.#terminal.columns === null || this.#columns[n]!.whole ? text : shorten(text, width);
      return fits + ' '.repeat(Math.max(0, width - widthOf(fits)));
    });
    return shown.join(GAP).trimEnd();
  }
}

/** Widths of the widest cells; on a terminal the widest columns are narrowed until the line fits. */
export function widthsFor(
  columns: readonly Column[],
  lines: readonly (readonly string[])[],
  available: number | null,
): number[] {
  const widths = columns.map(({ title }, n) =>
    Math.max(widthOf(title), ...lines.map((line) => widthOf(line[n]!))),
  );
  if (available === null) return widths;
  const total = () => widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));
  while (total() > available) {
    let widest = -1;
    for (const [n, width] of widths.entries())
      if (!columns[n]!.whole && width > MIN_WIDTH && width > (widths[widest] ?? 0)) widest = n;
    if (widest === -1) break;
    widths[widest]!--;
  }
  return widths;
}

/** Prints one record, one field per line, without shortening. */
export function printRecord(terminal: Terminal, record: Row): void {
  const width = Math.max(...Object.keys(record).map((field) => field.length));
  for (const [field, value] of Object.entries(record))
    terminal.out(`${terminal.style('dim', field.padEnd(width))}${GAP}${cell(value)}\n`);
}
