import type { Terminal } from './terminal.ts';

const BAR_WIDTH = 24;
const DRAWN_EVERY_MS = 100;
const LINE_EVERY_MS = 10_000;

/** A progress bar on a terminal, or a line every 10 s in a log. */
export class Progress {
  readonly #terminal: Terminal;
  /** Total size; null: unknown. */
  readonly #total: number | null;
  readonly #counted: string;
  #drawnAt = 0;
  #printedAt = performance.now();
  /** The first call: an earlier run may have done a part. */
  #first: { readonly rows: number; readonly done: number; readonly at: number } | null = null;

  constructor(terminal: Terminal, total: number | null, counted = 'rows') {
    this.#terminal = terminal;
    this.#total = total;
    this.#counted = counted;
  }

  show(rows: number, done: number): void {
    const now = performance.now();
    this.#first ??= { rows, done, at: now };
    if (now - this.#drawnAt < DRAWN_EVERY_MS) return;
    this.#drawnAt = now;
    const share = this.#total ? Math.min(1, done / this.#total) : null;
    const text = this.#figures(rows, done, now);
    if (this.#terminal.columns !== null) {
      this.#terminal.progress(share === null ? text : `${bar(share)} ${text}`);
    } else if (now - this.#printedAt >= LINE_EVERY_MS) {
      this.#printedAt = now;
      this.#terminal.err(`${text}\n`);
    }
  }

  end(): void {
    this.#terminal.progress('');
  }

  #figures(rows: number, done: number, now: number): string {
    const first = this.#first!;
    const seconds = (now - first.at) / 1000;
    const parts = [`${count(rows)} ${this.#counted}`];
    if (rows > first.rows)
      parts.push(`${count(Math.round((rows - first.rows) / seconds))} a second`);
    if (!this.#total) return parts.join(', ');
    parts.unshift(`${Math.floor(Math.min(1, done / this.#total) * 100)} %`);
    const doneNow = done - first.done;
    if (doneNow > 0) {
      const left = Math.max(0, this.#total - done);
      parts.push(`${count(Math.ceil((seconds / doneNow) * left))} s left`);
    }
    return parts.join(', ');
  }
}

const bar = (share: number): string => {
  const done = Math.round(share * BAR_WIDTH);
  return `[${'#'.repeat(done)}${'.'.repeat(BAR_WIDTH - done)}]`;
};

const count = (n: number): string => n.toLocaleString('en-GB');
