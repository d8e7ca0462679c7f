import { setImmediate } from 'node:timers/promises';

/**
 * What `promise` gives, or a rejection after `ms`. A timer that is late because the event loop was
 * held comes before the answer that arrived meanwhile; so the answer gets two turns to be read.
 */
export async function inTime<T>(promise: Promise<T>, ms: number, late: () => Error): Promise<T> {
  const over = Promise.withResolvers<never>();
  const timer = setTimeout(async () => {
    await setImmediate();
    await setImmediate();
    over.reject(late());
  }, ms);
  over.promise.catch(() => {});
  try {
    return await Promise.race([promise, over.promise]);
  } finally {
    clearTimeout(timer);
  }
}
