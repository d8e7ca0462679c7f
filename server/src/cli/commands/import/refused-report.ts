import { closeSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import { csvLine } from '../../../../../sdk/src/rules/csv.ts';
import type { PreparedRow, Reason } from './prepare-rows.ts';
import type { RowCounts } from './run-progress.ts';

const HEADER = 'line,code,message\r\n';

/** Report of refused rows: line and reason, never values. The file is created with the first row. */
export class RefusedReport {
  readonly #file: string;
  #handle: number | null = null;
  #bytes: number;

  /** The first `bytes` of an earlier run are kept; the rest is overwritten. */
  constructor(file: string, bytes: number) {
    this.#file = file;
    this.#bytes = bytes;
    if (bytes === 0) rmSync(file, { force: true });
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(line: number, { code, message }: Reason): void {
    if (this.#handle === null) {
      this.#handle = openSync(this.#file, this.#bytes === 0 ? 'w' : 'r+', 0o600);
      ftruncateSync(this.#handle, this.#bytes);
      if (this.#bytes === 0) this.#write(HEADER);
    }
    this.#write(`${csvLine([line, code, message])}\r\n`);
  }

  close(): void {
    if (this.#handle !== null) closeSync(this.#handle);
  }

  #write(text: string): void {
    const bytes = Buffer.from(text);
    writeSync(this.#handle!, bytes, 0, bytes.length, this.#bytes);
    this.#bytes += bytes.length;
  }
}

/** The result of a row in a response of the server. */
interface RowResult {
  readonly status: 'imported' | 'importable' | 'exists' | 'refused';
  readonly code?: string;
  readonly message?: string;
}

/** Counts rows, and reports the refused ones. `results`: of the rows that were sent. */
export function settleRows(
  rows: readonly PreparedRow[],
  results: readonly RowResult[],
  counts: RowCounts,
  report: RefusedReport,
): void {
  let sent = 0;
  for (const { line, refused } of rows) {
    counts.rows++;
    const result = refused === null ? results[sent++]! : null;
    if (result === null || result.status === 'refused') {
      counts.refused++;
      const { code = '', message = '' } = refused ?? result ?? {};
      report.add(line, { code, message });
    } else if (result.status === 'exists') counts.exists++;
    else counts.imported++;
  }
}
