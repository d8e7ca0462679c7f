import { Worker } from 'node:worker_threads';
import { StorageUnavailable } from '../errors.ts';
import type { ConnectionOptions } from './connection.ts';
import {
  type Reply,
  type Request,
  refusedParameter,
  type SavepointCommand,
  toError,
} from './messages.ts';

type Waiting = PromiseWithResolvers<Reply>;

/**
 * The client side of a storage thread. Replies arrive in the order of the requests, so messages need
 * no number. Requests made in one turn of the event loop are sent as one message, on the next tick: by
 * then all pending promise callbacks have run, while a microtask could run between two of them.
 */
export class StorageThread {
  readonly #worker: Worker;
  readonly #waiting: Waiting[] = [];
  #outgoing: (Request | SavepointCommand)[] = [];
  #flushing = false;
  #dead: StorageUnavailable | undefined;
  /** Resolves when the thread has ended, with the error that later calls get. Never rejects. */
  readonly ended: Promise<StorageUnavailable>;

  private constructor(body: URL, options: ConnectionOptions, name: string) {
    this.#worker = new Worker(body, { workerData: options, name, execArgv: [] });
    this.#worker.on('message', (replies: Reply[]) => this.#resolve(replies));
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
      await thread.#reply();
    } catch (error) {
      await thread.#worker.terminate();
      throw error;
    }
    return thread;
  }

  /** Whether the thread has not replied to all requests yet. */
  get isBusy(): boolean {
    return this.#waiting.length > 0;
  }

  request(request: Request): Promise<Reply> {
    if (this.#dead) return Promise.reject(this.#dead);
    const refusal = refusedParameter(request);
    if (refusal) return Promise.reject(refusal);
    this.#outgoing.push(request);
    this.#flushSoon();
    return this.#reply();
  }

  /** Sends a message that has no reply, together with the next request. */
  send(command: SavepointCommand): void {
    this.#outgoing.push(command);
  }

  async close(): Promise<void> {
    if (this.#dead) return;
    await this.request({ kind: 'close' });
    await this.ended;
  }

  #reply(): Promise<Reply> {
    const waiting = Promise.withResolvers<Reply>();
    this.#waiting.push(waiting);
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

  #resolve(replies: readonly Reply[]): void {
    for (const reply of replies) {
      const waiting = this.#waiting.shift();
      if (reply.failure) waiting?.reject(toError(reply.failure));
      else waiting?.resolve(reply);
    }
  }

  #die(name: string, cause: unknown): StorageUnavailable {
    const reason = new StorageUnavailable(`The thread ${name} has ended.`, { cause });
    this.#dead = reason;
    for (const waiting of this.#waiting.splice(0)) waiting.reject(reason);
    return reason;
  }
}
