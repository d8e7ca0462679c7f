import { KeywardError } from '../../../kernel/errors.ts';
import { parseStrictJson } from '../../../kernel/json/json.ts';
import {
  brokenRow,
  ROW_BYTES_MAX,
  type RowReader,
  readableRow,
  type SourceRow,
} from './source-row.ts';

const NEWLINE = 0x0a;

/** Reads one JSON object per line. Splits bytes, so that a line that is not UTF-8 affects only itself. */
export class NdjsonReader implements RowReader {
  #rest: Buffer = Buffer.alloc(0);
  #line = 0;
  /** Inside a line that is too long: the rest of it is skipped. */
  #isSkipping = false;

  push(chunk: Buffer): SourceRow[] {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const rows: SourceRow[] = [];
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      this.#take(bytes.subarray(start, end), rows);
      start = end + 1;
    }
    this.#rest = bytes.subarray(start);
    if (this.#rest.length > ROW_BYTES_MAX) {
      this.#isSkipping = true;
      this.#rest = Buffer.alloc(0);
    }
    return rows;
  }

  end(): SourceRow[] {
    const rows: SourceRow[] = [];
    if (this.#rest.length > 0 || this.#isSkipping) this.#take(this.#rest, rows);
    return rows;
  }

  #take(bytes: Buffer, rows: SourceRow[]): void {
    const line = ++this.#line;
    const isTooLong = this.#isSkipping || bytes.length > ROW_BYTES_MAX;
    this.#isSkipping = false;
    if (isTooLong) rows.push(brokenRow(line, 'The line is too long.'));
    else if (!isBlank(bytes)) rows.push(rowOf(line, bytes));
  }
}

const isBlank = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0x20 || byte === 0x0d);

function rowOf(line: number, bytes: Buffer): SourceRow {
  try {
    const value = parseStrictJson(bytes);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? readableRow(line, value as Record<string, unknown>)
      : brokenRow(line, 'The line is not a JSON object.');
  } catch (error) {
    if (!(error instanceof KeywardError)) throw error;
    // Not the message of the error: it may quote a part of the line, which may be a key.
    return brokenRow(line, 'The line is not valid JSON.');
  }
}
