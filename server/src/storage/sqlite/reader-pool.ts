import { StorageUnavailable } from '../errors.ts';
import type { StorageThread } from './thread.ts';
import type { Answer, QueryRequest } from './wire.ts';

interface Waiter {
  readonly request: QueryRequest;
  readonly answer: PromiseWithResolvers<Answer>;
}

/** Reader threads, each with one query at a time; the rest waits, first come, first served. */
export class ReaderPool {
  readonly #threads: readonly StorageThread[];
  readonly #idle: StorageThread[];
  readonly #waiting: Waiter[] = [];
  #refusal: StorageUnavailable | undefined;
  #drained: PromiseWithResolvers<void> | undefined;

  constructor(threads: readonly StorageThread[]) {
    this.#threads = threads;
    this.#idle = [...threads];
    for (const thread of threads) thread.ended.then((reason) => this.#fail(reason));
  }

  async query(request: QueryRequest): Promise<Answer> {
    if (this.#refusal) throw this.#refusal;
    const waiter = { request, answer: Promise.withResolvers<Answer>() };
    this.#waiting.push(waiter);
    const thread = this.#idle.pop();
    if (thread) void this.#work(thread);
    return waiter.answer.promise;
  }

  async close(): Promise<void> {
    this.#refusal ??= new StorageUnavailable('The database is closed.');
    if (this.#idle.length < this.#threads.length) {
      this.#drained ??= Promise.withResolvers<void>();
      await this.#drained.promise;
    }
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  async #work(thread: StorageThread): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      try {
        next.answer.resolve(await thread.ask(next.request));
      } catch (error) {
        next.answer.reject(error);
      }
    }
    this.#idle.push(thread);
    if (this.#idle.length === this.#threads.length) this.#drained?.resolve();
  }

  /** Fewer readers would serve on, slower and unnoticed; better that readiness tells. */
  #fail(reason: StorageUnavailable): void {
    this.#refusal ??= reason;
    for (const { answer } of this.#waiting.splice(0)) answer.reject(reason);
  }
}
