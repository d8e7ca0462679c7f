import type { Storage } from './storage.ts';

/**
 * The same storage for work in the background. A request may start such work, or wait for it together with
 * others: it must not end when that request ends, and not count for its account.
 */
export const backgroundStorage = (storage: Storage): Storage => ({
  ...storage,
  read: storage.background,
});
