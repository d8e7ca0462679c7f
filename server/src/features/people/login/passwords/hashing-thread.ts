import { Worker } from 'node:worker_threads';
import { threadEntry } from '../../../../kernel/files.ts';
import type { Hashed, Hashing } from './hashing-worker.ts';

/**
 * The thread that hashes passwords, one after another. The first password starts it, because most
 * processes see no sign-in for hours.
 */
export class HashingThread {
  #worker: Worker | null = null;
  readonly #waiting: PromiseWithResolvers<Buffer>[] = [];

  hash(hashing: Hashing): Promise<Buffer> {
    this.#worker ??= this.#start();
    // Only a busy thread keeps the process alive.
    if (this.#waiting.length === 0) this.#worker.ref();
    const waiting = Promise.withResolvers<Buffer>();
    this.#waiting.push(waiting);
    this.#worker.postMessage(hashing);
    return waiting.promise;
  }

  #start(): Worker {
    const body = threadEntry('features/people/login/passwords/hashing-worker.ts');
    const worker = new Worker(body, { name: 'keyward-passwords', execArgv: [] });
    worker.on('message', (hashed: Hashed) => {
      const waiting = this.#waiting.shift();
      if (hashed.tag) waiting?.resolve(Buffer.from(hashed.tag));
      else waiting?.reject(new Error(`Hashing a password failed: ${hashed.failure}`));
      if (this.#waiting.length === 0) worker.unref();
    });
    let cause: unknown;
    worker.on('error', (error) => {
      cause = error;
    });
    // The next password starts a new thread.
    worker.on('exit', () => {
      this.#worker = null;
      const error = new Error('The password hashing thread has exited.', { cause });
      for (const waiting of this.#waiting.splice(0)) waiting.reject(error);
    });
    return worker;
  }
}
