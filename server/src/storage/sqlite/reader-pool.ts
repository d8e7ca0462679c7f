import { StorageUnavailable } from '../errors.ts';
import type { QueryRequest, Reply } from './messages.ts';
import type { ReaderProcess } from './reader-process.ts';

interface PoolOptions {
  readonly start: () => Promise<ReaderProcess>;
  /** The caller runs no more queries than this at a time. */
  readonly size: number;
  /** A query that waits for less than this starts no further reader, because each takes 15 MB. */
  readonly growAfterMs: number;
}

/** After a failed start: a machine without memory is not asked for a process with every query. */
const RETRY_START_MS = 1_000;
/** If a reader is busy for longer, a second one is started, so that the next query does not wait for that. */
const SPARE_AFTER_MS = 100;
/** One idle reader is kept; the others end. */
const IDLE_MS_MAX = 60_000;

/**
 * Reader processes, started when queries need them. A reader that was stopped or has died is replaced when a query needs it.
 */
export class ReaderPool {
  readonly #options: PoolOptions;
  readonly #idle: { readonly reader: ReaderProcess; readonly since: number }[] = [];
  readonly #waiting: PromiseWithResolvers<ReaderProcess>[] = [];
  readonly #starting = new Set<Promise<void>>();
  readonly #sweep: NodeJS.Timeout;
  #busy = 0;
  #isClosed = false;
  #failure: { readonly error: StorageUnavailable; readonly at: number } | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#sweep = setInterval(() => this.#endIdle(), IDLE_MS_MAX / 2).unref();
  }

  /** Ends soon after `stop` is aborted. */
  async query(request: QueryRequest, stop: AbortSignal): Promise<Reply> {
    const reader = await this.#acquire(stop);
    this.#busy++;
    const spare = setTimeout(() => this.#startSpare(), SPARE_AFTER_MS);
    try {
      return await reader.query(request, stop);
    } finally {
      clearTimeout(spare);
      this.#busy--;
      this.#release(reader);
    }
  }

  /** Throws if no reader could be started. */
  assertUsable(): void {
    if (this.#failure) throw this.#failure.error;
  }

  /** No query is running. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#sweep);
    await Promise.all(this.#starting);
    await Promise.all(this.#idle.splice(0).map(({ reader }) => reader.close()));
  }

  async #acquire(stop: AbortSignal): Promise<ReaderProcess> {
    for (let kept = this.#idle.pop(); kept; kept = this.#idle.pop())
      if (kept.reader.isAlive) return kept.reader;
    const { error, at = 0 } = this.#failure ?? {};
    if (error && performance.now() - at < RETRY_START_MS) throw error;
    const waiting = Promise.withResolvers<ReaderProcess>();
    this.#waiting.push(waiting);
    const giveUp = () => this.#reject(waiting, stop.reason);
    stop.addEventListener('abort', giveUp);
    const waitMs = this.#busy === 0 ? 0 : this.#options.growAfterMs;
    const growing = setTimeout(() => this.#grow(), waitMs);
    try {
      return await waiting.promise;
    } finally {
      clearTimeout(growing);
      stop.removeEventListener('abort', giveUp);
    }
  }

  #reject(waiting: PromiseWithResolvers<ReaderProcess>, reason: Error): void {
    const index = this.#waiting.indexOf(waiting);
    if (index >= 0) this.#waiting.splice(index, 1);
    waiting.reject(reason);
  }

  #grow(needed = this.#waiting.length): void {
    if (this.#isClosed || this.#starting.size >= needed) return;
    const starting = this.#start().finally(() => this.#starting.delete(starting));
    this.#starting.add(starting);
  }

  #startSpare(): void {
    const starting = this.#starting.size;
    if (this.#idle.length === 0 && this.#busy + starting < this.#options.size)
      this.#grow(starting + 1);
  }

  async #start(): Promise<void> {
    try {
      await this.#options.start().then((reader) => this.#release(reader));
      this.#failure = undefined;
    } catch (cause) {
      const error = new StorageUnavailable('A reader process could not be started.', { cause });
      this.#failure = { error, at: performance.now() };
      for (const waiting of this.#waiting.splice(0)) waiting.reject(error);
    }
  }

  #release(reader: ReaderProcess): void {
    const [waiting] = this.#waiting;
    // The next query shall not wait for a new reader.
    if (!reader.isAlive) this.#grow(Math.max(1, this.#waiting.length));
    else if (waiting) {
      this.#waiting.shift();
      waiting.resolve(reader);
    } else this.#idle.push({ reader, since: performance.now() });
  }

  /** A reader is added to the end when it becomes idle, so the first one has been idle for longest. */
  #endIdle(): void {
    const before = performance.now() - IDLE_MS_MAX;
    while (this.#idle.length > 1 && this.#idle[0]!.since < before)
      void this.#idle.shift()!.reader.close();
  }
}
