import { AsyncLocalStorage } from 'node:async_hooks';
import { transactions } from '../kernel/tracing.ts';
import type { Storage } from './storage.ts';

/** The same storage. While telemetry is on, its transactions are recorded. */
export function tracedStorage(storage: Storage): Storage {
  const { script } = storage;
  return {
    ...storage,
    transaction: (work, options) =>
      transactions.hasSubscribers
        ? transactions.tracePromise(
            // Keeps the async context of the caller: the writer may call `work` in the context of another
            // request.
            () => storage.transaction(AsyncLocalStorage.bind(work), options),
            {},
          )
        : storage.transaction(work, options),
    ...(script && { script: (steps) => transactions.tracePromise(() => script(steps), {}) }),
  };
}
