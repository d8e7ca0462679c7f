import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { sha256 } from '../../../kernel/secrets/crypto.ts';

/** Progress of a run: the first `rows` rows of the file were sent or refused, and are counted. */
export interface RowCounts {
  rows: number;
  imported: number;
  exists: number;
  refused: number;
}

export interface SavedProgress extends RowCounts {
  /** Identifies the file, the options and the account. */
  readonly run: string;
  readonly importId: string;
  /** Number of the last row that the server has. */
  readonly lastStored: number;
  /** Absolute path of the report of refused rows, and its length. */
  readonly reportFile: string;
  readonly reportBytes: number;
}

interface CurrentProgress {
  readonly counts: RowCounts;
  readonly lastStored: number;
  readonly report: { readonly file: string; readonly bytes: number };
}

const WRITTEN_EVERY_MS = 500;

/**
 * The progress of a run, stored next to the file, so that a killed run can be continued. Losing it is
 * harmless: the server reports rows that are sent again as existing.
 */
export class ProgressFile {
  readonly #file: string;
  readonly #run: string;
  #writtenAt = 0;
  #isWritable = true;

  /** A different file, options or account is a different run. */
  constructor(source: string, run: { readonly accountId: string; readonly options: object }) {
    const { size, mtimeMs } = statSync(source);
    this.#file = `${source}.keyward-import`;
    this.#run = sha256(JSON.stringify([size, mtimeMs, run]));
  }

  read(): SavedProgress | null {
    try {
      const saved = JSON.parse(readFileSync(this.#file, 'utf8')) as SavedProgress;
      return saved.run === this.#run ? saved : null;
    } catch {
      return null;
    }
  }

  /** If the folder is not writable, a killed run starts over: slower, with the same result. */
  write({ counts, lastStored, report }: CurrentProgress, importId: string): void {
    const now = performance.now();
    if (!this.#isWritable || now - this.#writtenAt < WRITTEN_EVERY_MS) return;
    this.#writtenAt = now;
    const saved: SavedProgress = {
      run: this.#run,
      importId,
      lastStored,
      reportFile: report.file,
      reportBytes: report.bytes,
      ...counts,
    };
    try {
      writeFileSync(`${this.#file}.new`, JSON.stringify(saved), { mode: 0o600 });
      renameSync(`${this.#file}.new`, this.#file);
    } catch {
      this.#isWritable = false;
    }
  }

  remove(): void {
    rmSync(this.#file, { force: true });
  }
}
