import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Starts connections that send validations with unknown access keys, in a thread of their own. */
export function startUnknownCallers(options: {
  readonly port: number;
  readonly connections: number;
}): { stop(): Promise<number> } {
  const thread = new Worker(new URL('unknown-callers.ts', import.meta.url), {
    workerData: options,
  });
  return {
    /** Returns the number of answers. */
    async stop() {
      const answers = once(thread, 'message') as Promise<[number]>;
      thread.postMessage('stop');
      return (await answers)[0];
    },
  };
}
