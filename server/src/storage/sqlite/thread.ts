import { Worker } from 'node:worker_threads';
import { StorageUnavailable } from '../errors.ts';
import type { ConnectionOptions } from './connection.ts';
import { type Answer, type Bound, type Request, refusedParameter, toError } from './messages.ts';

type Waiting = PromiseWithResolvers<Answer>;

/**
 * The client side of a storage thread. Answers arrive in the order of the requests, so messages need
 * no number. Requests made in one turn of the event loop are sent as one message, on the next tick: a
 * microtask would send the request of the first of several promises alone.
 */
export class StorageThread {
  readonly #worker: Worker;
  readonly #unanswered: Waiting[] = [];
  #outgoing: (Request | Bound)[] = [];
  #flushing = false;
  #dead: StorageUnavailable | undefined;
  /** Resolves when the thread has ended, with the error that later calls get. Never rejects. */
  readonly ended: Promise<StorageUnavailable>;

  private constructor(body: URL, options: ConnectionOptions, name: string) {
    this.#worker = new Worker(body, { workerData: options, name, execArgv: [] });
    this.#worker.on('message', (answers: Answer[]) => this.#settle(answers));
    this.ended = new Promise((resolve) => {
      let cause: unknown;
      this.#worker.on('error', (error) => {
        cause = error;
      });
      this.#worker.on('exit', () => resolve(this.#die(name, cause)));
    });
  }

  /** Resolves when the thread has opened the database. */
  static async start(body: URL, options: ConnectionOptions, name: string): Promise<StorageThread> {
    const thread = new StorageThread(body, options, name);
    try {
      await thread.#answer();
    } catch (error) {
      await thread.#worker.terminate();
      throw error;
    }
    return thread;
  }

  request(request: Request): Promise<Answer> {
    if (this.#dead) return Promise.reject(this.#dead);
    const refusal = refusedParameter(request);
    if (refusal) return Promise.reject(refusal);
    this.#outgoing.push(request);
    this.#flushSoon();
    return this.#answer();
  }

  /** Sends a message that has no answer, together with the next request. */
  send(bound: Bound): void {
    this.#outgoing.push(bound);
  }

  async close(): Promise<void> {
    if (this.#dead) return;
    await this.request({ kind: 'close' });
    await this.ended;
  }

  #answer(): Promise<Answer> {
    const waiting = Promise.withResolvers<Answer>();
    this.#unanswered.push(waiting);
    return waiting.promise;
  }

  #flushSoon(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    process.nextTick(() => {
      const requests = this.#outgoing;
      this.#outgoing = [];
      this.#flushing = false;
      this.#worker.postMessage(requests);
    });
  }

  #settle(answers: readonly Answer[]): void {
    for (const answer of answers) {
      const waiting = this.#unanswered.shift();
      if (answer.failure) waiting?.reject(toError(answer.failure));
      else waiting?.resolve(answer);
    }
  }

  #die(name: string, cause: unknown): StorageUnavailable {
    const reason = new StorageUnavailable(`The thread ${name} has ended.`, { cause });
    this.#dead = reason;
    for (const waiting of this.#unanswered.splice(0)) waiting.reject(reason);
    return reason;
  }
}
