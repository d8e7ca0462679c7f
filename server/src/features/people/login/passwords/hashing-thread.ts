import { Worker } from 'node:worker_threads';
import { threadEntry } from '../../../../kernel/files.ts';
import type { Hashed, Hashing } from './hashing-worker.ts';

/**
 * The thread that hashes passwords, one after another. It starts with the first of them: most
 * processes see no login for hours.
 */
export class HashingThread {
  #worker: Worker | null = null;
  readonly #unanswered: PromiseWithResolvers<Buffer>[] = [];

  hash(hashing: Hashing): Promise<Buffer> {
    this.#worker ??= this.#start();
    // Only who waits for a hash keeps the process: an idle thread does not.
    if (this.#unanswered.length === 0) this.#worker.ref();
    const waiting = Promise.withResolvers<Buffer>();
    this.#unanswered.push(waiting);
    this.#worker.postMessage(hashing);
    return waiting.promise;
  }

  #start(): Worker {
    const body = threadEntry('features/people/login/passwords/hashing-worker.ts');
    const worker = new Worker(body, { name: 'keyward-passwords', execArgv: [] });
    worker.on('message', (hashed: Hashed) => {
      const waiting = this.#unanswered.shift();
      if (hashed.tag) waiting?.resolve(Buffer.from(hashed.tag));
      else waiting?.reject(new Error(`A password could not be hashed: ${hashed.failure}`));
      if (this.#unanswered.length === 0) worker.unref();
    });
    let cause: unknown;
    worker.on('error', (error) => {
      cause = error;
    });
    // The next password starts another one.
    worker.on('exit', () => {
      this.#worker = null;
      const error = new Error('The thread that hashes passwords has ended.', { cause });
      for (const waiting of this.#unanswered.splice(0)) waiting.reject(error);
    });
    return worker;
  }
}
