import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { sha256 } from '../../../kernel/crypto.ts';

/** How far a run came: every row before `rows` is settled on the server. */
export interface Tally {
  rows: number;
  imported: number;
  exists: number;
  refused: number;
}

interface Note extends Tally {
  readonly of: string;
  readonly importId: string;
  readonly reportBytes: number;
}

const WRITTEN_EVERY_MS = 500;

/**
 * What a run leaves beside the file, so that another goes on where it was killed. Nothing depends
 * on it: rows that are sent again are answered as being there.
 */
export class RunNote {
  readonly #file: string;
  readonly #of: string;
  #writtenAt = 0;
  #isWritable = true;

  /** Another file, other options or another account make another run. */
  constructor(source: string, run: { readonly accountId: string; readonly options: object }) {
    const { size, mtimeMs } = statSync(source);
    this.#file = `${source}.keyward-import`;
    this.#of = sha256(JSON.stringify([size, mtimeMs, run]));
  }

  read(): Note | null {
    try {
      const note = JSON.parse(readFileSync(this.#file, 'utf8')) as Note;
      return note.of === this.#of ? note : null;
    } catch {
      return null;
    }
  }

  /** Where the folder takes no files, a killed run begins anew: slower, and just as right. */
  write(tally: Tally, importId: string, reportBytes: number): void {
    const now = performance.now();
    if (!this.#isWritable || now - this.#writtenAt < WRITTEN_EVERY_MS) return;
    this.#writtenAt = now;
    const note: Note = { of: this.#of, importId, reportBytes, ...tally };
    try {
      writeFileSync(`${this.#file}.new`, JSON.stringify(note), { mode: 0o600 });
      renameSync(`${this.#file}.new`, this.#file);
    } catch {
      this.#isWritable = false;
    }
  }

  remove(): void {
    rmSync(this.#file, { force: true });
  }
}
