import type { Answer, ManyRequest, QueryRequest } from './messages.ts';
import type { StorageThread } from './thread.ts';

/**
 * One logical transaction's time at the writer: waiting → active → over. The queue makes it active
 * and ends it; nobody else can.
 */
export class Turn {
  readonly timeoutMs: number;
  /** Rejects when the turn is ended from outside: it took too long, or the writer died. */
  readonly cutOff: Promise<never>;
  readonly #cutOff = Promise.withResolvers<never>();
  readonly #thread: StorageThread;
  #over: Error | undefined;
  #failed = false;

  constructor(thread: StorageThread, timeoutMs: number) {
    this.#thread = thread;
    this.timeoutMs = timeoutMs;
    this.cutOff = this.#cutOff.promise;
    // Whoever runs the transaction listens; one that ended in time has no listener any more.
    this.cutOff.catch(() => {});
  }

  get isOver(): boolean {
    return this.#over !== undefined;
  }

  async ask(request: QueryRequest | ManyRequest): Promise<Answer> {
    if (this.#over) throw this.#over;
    this.assertWhole();
    try {
      return await this.#thread.ask(request);
    } catch (error) {
      this.#failed = true;
      throw error;
    }
  }

  /** PostgreSQL takes nothing more after a failed statement and will not commit; so neither do we. */
  assertWhole(): void {
    if (this.#failed) throw new Error('A statement of this transaction failed: it is rolled back.');
  }

  end(reason = new Error('This transaction is over.')): void {
    this.#over = reason;
  }

  cut(reason: Error): void {
    this.end(reason);
    this.#cutOff.reject(reason);
  }
}
