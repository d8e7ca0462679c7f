import { setTimeout as sleep } from 'node:timers/promises';
import { StorageUnavailable } from '../errors.ts';
import type { QueryRequest, Reply } from './messages.ts';
import type { StorageThread } from './thread.ts';

/** Queries that wait for less than this need no further thread. */
const WAIT_MS_MAX = 10;

interface Waiter {
  readonly request: QueryRequest;
  readonly reply: PromiseWithResolvers<Reply>;
}

interface PoolOptions {
  readonly threadsMax: number;
  startThread(): Promise<StorageThread>;
}

/**
 * Reader threads that run one query at a time each; other queries wait in order. The pool opens with
 * one thread and starts the others when queries have to wait, because each thread takes 10 MB.
 */
export class ReaderPool {
  readonly #options: PoolOptions;
  readonly #threads: StorageThread[] = [];
  readonly #idle: StorageThread[] = [];
  readonly #waiting: Waiter[] = [];
  #growing: Promise<void> | undefined;
  #refusal: StorageUnavailable | undefined;
  #drained: PromiseWithResolvers<void> | undefined;

  private constructor(options: PoolOptions) {
    this.#options = options;
  }

  static async open(options: PoolOptions): Promise<ReaderPool> {
    const pool = new ReaderPool(options);
    pool.#idle.push(await pool.#startThread());
    return pool;
  }

  async query(request: QueryRequest): Promise<Reply> {
    this.assertOpen();
    const waiter = { request, reply: Promise.withResolvers<Reply>() };
    this.#waiting.push(waiter);
    const thread = this.#idle.pop();
    if (thread) void this.#work(thread);
    else if (this.#threads.length < this.#options.threadsMax) this.#growing ??= this.#grow();
    return waiter.reply.promise;
  }

  /** Throws if the pool has failed or is closed. */
  assertOpen(): void {
    if (this.#refusal) throw this.#refusal;
  }

  /** Finishes the waiting queries and accepts no new ones. */
  async close(): Promise<void> {
    this.#refusal ??= new StorageUnavailable('The database is closed.');
    await this.#growing;
    if (this.#idle.length < this.#threads.length) {
      this.#drained ??= Promise.withResolvers<void>();
      await this.#drained.promise;
    }
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  async #grow(): Promise<void> {
    await sleep(WAIT_MS_MAX);
    try {
      if (this.#waiting.length > 0) void this.#work(await this.#startThread());
    } catch (cause) {
      this.#fail(new StorageUnavailable('Another reader thread could not be started.', { cause }));
    }
    this.#growing = undefined;
  }

  async #startThread(): Promise<StorageThread> {
    const thread = await this.#options.startThread();
    thread.ended.then((reason) => this.#fail(reason));
    this.#threads.push(thread);
    return thread;
  }

  async #work(thread: StorageThread): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      try {
        next.reply.resolve(await thread.request(next.request));
      } catch (error) {
        next.reply.reject(error);
      }
    }
    this.#idle.push(thread);
    if (this.#idle.length === this.#threads.length) this.#drained?.resolve();
  }

  /** Stops the whole pool: if the remaining readers went on, nothing would show that reads are slower. */
  #fail(reason: StorageUnavailable): void {
    this.#refusal ??= reason;
    for (const { reply } of this.#waiting.splice(0)) reply.reject(reason);
  }
}
