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
 * RFC 4180 in pieces: quoted cells may hold delimiters, doubled quotes and line breaks; lines end
 * with LF or CRLF. Also `;` and tab, as spreadsheets of many countries write: the header says
 * which. Bytes are read as Latin-1, one character each, since all that has a meaning here is ASCII,
 * and each cell is then read as UTF-8: one that is not spoils only its row.
 */
export class CsvReader implements RowReader {
  #rest = '';
  /** Of the first record that is not yet whole. */
  #line = 1;
  #header: readonly string[] | undefined;
  #delimiter = ',';
  readonly #onHeader: (names: readonly string[]) => void;

  /** `onHeader` may throw: before a single row is read. */
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
      // Where quotes open and close by turns, a line break outside of them ends the record.
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
        `line ${this.#line}: the row that begins here does not end. Is a quote opened and not closed?`,
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
      throw new FileProblem('line 1: the header names a column twice.');
    this.#onHeader(this.#header);
  }

  #rowOf(cells: readonly string[] | string, header: readonly string[]): SourceRow {
    if (typeof cells === 'string') return brokenRow(this.#line, cells);
    if (cells.length !== header.length) {
      const counts = `The row has ${cells.length} cells, the header names ${header.length}.`;
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

/** Null when it is not UTF-8. */
function decoded(cell: string): string | null {
  if (ASCII.test(cell)) return cell;
  try {
    return utf8.decode(Buffer.from(cell, 'latin1'));
  } catch {
    return null;
  }
}

/** The cells of one record, or what is wrong with it. */
function cellsOf(record: string, delimiter: string): string[] | string {
  if (!record.includes('"')) return record.split(delimiter);
  const cells: string[] = [];
  for (let at = 0; at <= record.length; ) {
    const isQuoted = record[at] === '"';
    const end = isQuoted ? closingQuote(record, at) + 1 : ending(record, delimiter, at);
    if (end === 0) return 'A quote is opened and not closed.';
    const cell = record.slice(at, end);
    if (isQuoted && end < record.length && record[end] !== delimiter)
      return 'There is something between a closing quote and the next cell.';
    if (!isQuoted && cell.includes('"'))
      return 'There is a quote in a cell that has none around it.';
    cells.push(isQuoted ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    at = end + 1;
  }
  return cells;
}

function ending(record: string, delimiter: string, from: number): number {
  const end = record.indexOf(delimiter, from);
  return end === -1 ? record.length : end;
}

/** Where the quoted cell that begins at `from` ends; -1: nowhere. */
function closingQuote(record: string, from: number): number {
  let at = record.indexOf('"', from + 1);
  while (at !== -1 && record[at + 1] === '"') at = record.indexOf('"', at + 2);
  return at;
}
