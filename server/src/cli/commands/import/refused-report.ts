import { closeSync, ftruncateSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { csvLine } from '@keyward/rules/csv.ts';
import type { PreparedRow, Reason } from './prepare-rows.ts';
import type { RowCounts, SavedProgress } from './run-progress.ts';

const HEADER = 'line,code,message\r\n';

/** Report of refused rows: line and reason, never values. The file is created with the first row. */
export class RefusedReport {
  /** An absolute path. */
  readonly file: string;
  #handle: number | null = null;
  #bytes: number;

  /** What an earlier run wrote to the same file is kept. Any other file is replaced. */
  constructor(file: string, earlier: SavedProgress | null = null) {
    this.file = resolve(file);
    const isContinued = earlier?.reportFile === this.file && lengthOf(file) >= earlier.reportBytes;
    this.#bytes = isContinued ? earlier.reportBytes : 0;
    if (this.#bytes === 0) rmSync(file, { force: true });
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(line: number, { code, message }: Reason): void {
    if (this.#handle === null) {
      this.#handle = openSync(this.file, this.#bytes === 0 ? 'w' : 'r+', 0o600);
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

/** 0 if there is no such file. */
const lengthOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** The result of a row in a response of the server. */
interface RowResult {
  readonly status: 'imported' | 'importable' | 'exists' | 'refused';
  readonly code?: string;
  readonly message?: string;
}

/**
 * Counts rows, and reports the refused ones. `results` has one item for each row that was sent. Returns the
 * number of the last row that the server has; 0 if there is none.
 */
export function countRows(
  rows: readonly PreparedRow[],
  results: readonly RowResult[],
  counts: RowCounts,
  report: RefusedReport,
): number {
  let sent = 0;
  let lastStored = 0;
  for (const { line, refused } of rows) {
    counts.rows++;
    const result = refused === null ? results[sent++]! : null;
    if (result === null || result.status === 'refused') {
      counts.refused++;
      const { code = '', message = '' } = refused ?? result ?? {};
      report.add(line, { code, message });
      continue;
    }
    if (result.status === 'exists') counts.exists++;
    else counts.imported++;
    lastStored = counts.rows;
  }
  return lastStored;
}
