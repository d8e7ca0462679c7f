import { findValues, VALUE_LENGTH_MAX } from './finder.ts';

/** A value that was found in a text. */
export interface Finding {
  readonly value: string;
  /** From 1. */
  readonly line: number;
  /** From 1, in bytes. */
  readonly column: number;
}

const NEWLINE = 0x0a;
/** As git decides: a file with a zero byte near its start is binary. */
const BINARY_CHECK_BYTES = 8_000;
const OVERLAP = VALUE_LENGTH_MAX - 1;
const NOTHING = Buffer.alloc(0);

/** Searches a text that arrives in chunks, with memory for one chunk. Binary contents are ignored. */
export class StreamScanner {
  readonly #onFound: (finding: Finding) => void;
  readonly #countsLines: boolean;
  /** Offset of the current chunk, and the last bytes before it. */
  #base = 0;
  #tail: Buffer = NOTHING;
  #isBinary = false;
  /** Newlines before the current chunk, and the offset after the last of them. */
  #lines = 0;
  #lineStart = 0;
  #lastOffset = -1;

  /** Counting lines takes half of the time. Without it, `line` and `column` are not right. */
  constructor(onFound: (finding: Finding) => void, { countsLines = true } = {}) {
    this.#onFound = onFound;
    this.#countsLines = countsLines;
  }

  /** The chunk may be overwritten after the call. */
  push(chunk: Buffer): void {
    if (this.#base < BINARY_CHECK_BYTES)
      this.#isBinary ||= chunk.subarray(0, BINARY_CHECK_BYTES - this.#base).includes(0);
    if (!this.#isBinary) this.#search(chunk);
    this.#base += chunk.length;
  }

  #search(chunk: Buffer): void {
    if (this.#tail.length > 0) {
      const seam = Buffer.concat([this.#tail, chunk.subarray(0, OVERLAP)]);
      const start = this.#base - this.#tail.length;
      findValues(seam, (value, offset) => this.#report(chunk, value, start + offset));
    }
    findValues(chunk, (value, offset) => this.#report(chunk, value, this.#base + offset));
    this.#tail = Buffer.from(
      chunk.length >= OVERLAP
        ? chunk.subarray(chunk.length - OVERLAP)
        : Buffer.concat([this.#tail, chunk]).subarray(-OVERLAP),
    );
    if (!this.#countsLines) return;
    this.#lines += newlines(chunk, chunk.length);
    const last = chunk.lastIndexOf(NEWLINE);
    if (last >= 0) this.#lineStart = this.#base + last + 1;
  }

  #report(chunk: Buffer, value: string, offset: number): void {
    // The seam overlaps the chunks before and after it, so a value may be found twice.
    if (offset <= this.#lastOffset) return;
    this.#lastOffset = offset;
    const inChunk = Math.max(0, offset - this.#base);
    const newline = inChunk === 0 ? -1 : chunk.lastIndexOf(NEWLINE, inChunk - 1);
    const lineStart = newline < 0 ? this.#lineStart : this.#base + newline + 1;
    this.#onFound({
      value,
      line: this.#lines + newlines(chunk, inChunk) + 1,
      column: offset - lineStart + 1,
    });
  }
}

function newlines(chunk: Buffer, end: number): number {
  let count = 0;
  const text = chunk.subarray(0, end);
  for (let at = text.indexOf(NEWLINE); at >= 0; at = text.indexOf(NEWLINE, at + 1)) count++;
  return count;
}
