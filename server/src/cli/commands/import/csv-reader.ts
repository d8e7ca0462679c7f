import {
  brokenRow,
  FileProblem,
  ROW_BYTES_MAX,
  type RowReader,
  readableRow,
  type SourceRow,
} from './source-row.ts';

const DELIMITERS = [',', ';', '\t'] as const;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * A streaming parser for RFC 4180: quoted cells may contain delimiters, doubled quotes and line breaks;
 * lines end with LF or CRLF. Also accepts `;` and tab, which spreadsheets in many countries write; the
 * header determines the delimiter. Bytes are first read as Latin-1, because all special characters are
 * ASCII. Each cell is then decoded as UTF-8, so that an invalid one makes only its row invalid.
 */
export class CsvReader implements RowReader {
  #rest = '';
  /** First line of the record that is not complete yet. */
  #line = 1;
  #header: readonly string[] | undefined;
  #delimiter = ',';
  readonly #onHeader: (names: readonly string[]) => void;

  /** `onHeader` is called before the first row, and may throw. */
  constructor(onHeader: (names: readonly string[]) => void) {
    this.#onHeader = onHeader;
  }

  push(chunk: Buffer): SourceRow[] {
    const text = this.#rest + chunk.toString('latin1');
    const rows: SourceRow[] = [];
    let start = 0;
    let lines = 1;
    let isOpen = false;
    let quote = text.indexOf('"');
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) {
      // Quotes alternately open and close; a line break outside of them ends the record.
      for (; quote !== -1 && quote < end; quote = text.indexOf('"', quote + 1)) isOpen = !isOpen;
      if (isOpen) {
        lines++;
        continue;
      }
      this.#take(text.slice(start, text[end - 1] === '\r' ? end - 1 : end), rows);
      this.#line += lines;
      lines = 1;
      start = end + 1;
    }
    this.#rest = text.slice(start);
    if (this.#rest.length > ROW_BYTES_MAX)
      throw new FileProblem(
        `line ${this.#line}: the row that starts here does not end. Check for a quote that is not closed.`,
      );
    return rows;
  }

  end(): SourceRow[] {
    const rows: SourceRow[] = [];
    if (this.#rest !== '') this.#take(this.#rest.replace(/\r$/, ''), rows);
    return rows;
  }

  #take(record: string, rows: SourceRow[]): void {
    if (record === '') return;
    if (this.#header === undefined) this.#takeHeader(record);
    else rows.push(this.#rowOf(cellsOf(record, this.#delimiter), this.#header));
  }

  #takeHeader(record: string): void {
    const count = (delimiter: string) => record.split(delimiter).length;
    this.#delimiter = DELIMITERS.toSorted((a, b) => count(b) - count(a))[0]!;
    const cells = cellsOf(record, this.#delimiter);
    if (typeof cells === 'string') throw new FileProblem('line 1: the header cannot be read.');
    this.#header = cells.map((cell) => (decoded(cell) ?? '').trim());
    if (new Set(this.#header).size < cells.length)
      throw new FileProblem('line 1: the header contains the same column twice.');
    this.#onHeader(this.#header);
  }

  #rowOf(cells: readonly string[] | string, header: readonly string[]): SourceRow {
    if (typeof cells === 'string') return brokenRow(this.#line, cells);
    if (cells.length !== header.length) {
      const counts = `The row has ${cells.length} cells, but the header has ${header.length}.`;
      return brokenRow(this.#line, counts);
    }
    const fields: Record<string, string> = {};
    for (const [n, cell] of cells.entries()) {
      const text = decoded(cell);
      if (text === null) return brokenRow(this.#line, 'The row is not valid UTF-8.');
      fields[header[n]!] = text;
    }
    return readableRow(this.#line, fields);
  }
}

const ASCII = /^[\t\n\r -~]*$/;

/** Null if it is not valid UTF-8. */
function decoded(cell: string): string | null {
  if (ASCII.test(cell)) return cell;
  try {
    return utf8.decode(Buffer.from(cell, 'latin1'));
  } catch {
    return null;
  }
}

/** The cells of one record, or a message about the problem. */
function cellsOf(record: string, delimiter: string): string[] | string {
  if (!record.includes('"')) return record.split(delimiter);
  const cells: string[] = [];
  for (let at = 0; at <= record.length; ) {
    const isQuoted = record[at] === '"';
    const end = isQuoted ? closingQuote(record, at) + 1 : ending(record, delimiter, at);
    if (end === 0) return 'A quote is not closed.';
    const cell = record.slice(at, end);
    if (isQuoted && end < record.length && record[end] !== delimiter)
      return 'There is text between a closing quote and the next cell.';
    if (!isQuoted && cell.includes('"')) return 'An unquoted cell contains a quote.';
    cells.push(isQuoted ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    at = end + 1;
  }
  return cells;
}

function ending(record: string, delimiter: string, from: number): number {
  const end = record.indexOf(delimiter, from);
  return end === -1 ? record.length : end;
}

/** Index of the closing quote of the cell that starts at `from`; -1: not closed. */
function closingQuote(record: string, from: number): number {
  let at = record.indexOf('"', from + 1);
  while (at !== -1 && record[at + 1] === '"') at = record.indexOf('"', at + 2);
  return at;
}
