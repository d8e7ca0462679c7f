import type { ManyRequest, QueryRequest, Reply } from './messages.ts';
import type { StorageThread } from './thread.ts';

/**
 * The turn of one logical transaction at the writer: waiting → active → over. Only the queue makes it
 * active and ends it.
 */
export class Turn {
  readonly timeoutMs: number;
  /** Rejects if the queue ends the turn: it took too long, or the writer died. */
  readonly cutOff: Promise<never>;
  readonly #cutOff = Promise.withResolvers<never>();
  readonly #thread: StorageThread;
  #over: Error | undefined;
  #failed = false;

  constructor(thread: StorageThread, timeoutMs: number) {
    this.#thread = thread;
    this.timeoutMs = timeoutMs;
    this.cutOff = this.#cutOff.promise;
    // Without this, a rejection after the end of the transaction would be unhandled.
    this.cutOff.catch(() => {});
  }

  get isOver(): boolean {
    return this.#over !== undefined;
  }

  async request(request: QueryRequest | ManyRequest): Promise<Reply> {
    if (this.#over) throw this.#over;
    this.assertNoFailure();
    try {
      return await this.#thread.request(request);
    } catch (error) {
      this.#failed = true;
      throw error;
    }
  }

  /** After a failed statement no more are accepted and the commit fails, as on PostgreSQL. */
  assertNoFailure(): void {
    if (this.#failed)
      throw new Error('A statement of this transaction failed, so the transaction is rolled back.');
  }

  end(reason = new Error('This transaction is over.')): void {
    this.#over = reason;
  }

  cut(reason: Error): void {
    this.end(reason);
    this.#cutOff.reject(reason);
  }
}
