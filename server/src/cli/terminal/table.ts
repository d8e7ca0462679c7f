import { cell, shorten, widthOf } from './cell.ts';
import type { Terminal } from './terminal.ts';

export type Row = Readonly<Record<string, unknown>>;

export interface Column {
  readonly field: string;
  readonly title: string;
  /** Never shortened: half an id is of no use. */
  readonly whole?: boolean;
}

const GAP = '  ';
const MIN_WIDTH = 8;

/**
 * Prints rows as they arrive. The widths follow from the first page, so that a list of any length
 * is never held; later rows are shortened to them on a terminal, and stand out in a file.
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

/** As wide as the widest cell; on a terminal the widest columns give way until the line fits. */
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

/** One record, a field a line, nothing shortened. */
export function printRecord(terminal: Terminal, record: Row): void {
  const width = Math.max(...Object.keys(record).map((field) => field.length));
  for (const [field, value] of Object.entries(record))
    terminal.out(`${terminal.style('dim', field.padEnd(width))}${GAP}${cell(value)}\n`);
}
