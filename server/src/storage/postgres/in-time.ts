import { setImmediate } from 'node:timers/promises';

const SLICE_MS = 100;

/**
 * What `promise` gives, or a rejection after `ms`. They are counted in slices, each of which must be
 * waited for: a process that was held for a while, or got no core, has lost one of them, and not the
 * answers that arrived meanwhile and want to be read, perhaps one after the other.
 */
export async function inTime<T>(promise: Promise<T>, ms: number, late: () => Error): Promise<T> {
  const over = Promise.withResolvers<never>();
  const slices = Math.ceil(ms / SLICE_MS);
  let waited = 0;
  const timer = setInterval(async () => {
    waited += 1;
    if (waited !== slices) return;
    // The timer comes before what has arrived: that gets two turns to be read.
    await setImmediate();
    await setImmediate();
    over.reject(late());
  }, ms / slices);
  over.promise.catch(() => {});
  try {
    return await Promise.race([promise, over.promise]);
  } finally {
    clearInterval(timer);
  }
}
