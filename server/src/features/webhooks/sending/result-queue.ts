import type { Finished } from './results.ts';

const BATCH_MAX = 200;
const PAUSE_AFTER_FAILURE_MS = 1_000;

/**
 * Collects the results of attempts and writes them in batches, so that a thousand results a second
 * cost at most fifty transactions. A batch that fails is kept and retried.
 *
 *   empty ──add──▶ collecting ──waitMs or 200 results──▶ writing ──▶ empty or collecting
 *                      ▲                                    │ failed
 *                      └────────── after a second ◀─────────┘
 */
export class ResultQueue {
  readonly #write: (finished: readonly Finished[]) => Promise<void>;
  readonly #onError: (error: unknown) => void;
  readonly #waitMs: () => number;
  #waiting: Finished[] = [];
  #writing: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    write: (finished: readonly Finished[]) => Promise<void>,
    onError: (error: unknown) => void,
    waitMs: () => number,
  ) {
    this.#write = write;
    this.#onError = onError;
    this.#waitMs = waitMs;
  }

  /** Number of results that are not written yet. */
  get size(): number {
    return this.#waiting.length;
  }

  add(finished: Finished): void {
    this.#waiting.push(finished);
    if (this.#writing !== null) return;
    if (this.#waiting.length >= BATCH_MAX) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), this.#waitMs());
  }

  /** Writes the waiting results, or joins the write in progress. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing ??= this.#writeBatches().finally(() => {
      this.#writing = null;
    });
    return this.#writing;
  }

  async #writeBatches(): Promise<void> {
    let isFull = true;
    while (this.#waiting.length > 0 && isFull) {
      const batch = this.#waiting.slice(0, BATCH_MAX);
      try {
        await this.#write(batch);
      } catch (error) {
        this.#onError(error);
        this.#timer = setTimeout(() => void this.flush(), PAUSE_AFTER_FAILURE_MS);
        return;
      }
      this.#waiting = this.#waiting.slice(batch.length);
      isFull = this.#waiting.length >= BATCH_MAX;
    }
    if (this.#waiting.length > 0) this.#timer = setTimeout(() => void this.flush(), this.#waitMs());
  }

  /** Writes everything, or gives up if a write fails. Nothing may be added after this. */
  async drain(): Promise<void> {
    await this.#writing;
    for (let left = Infinity; this.size > 0 && this.size < left; ) {
      left = this.size;
      await this.flush();
    }
    clearTimeout(this.#timer);
  }
}
