import { setImmediate } from 'node:timers/promises';

const SLICE_MS = 100;

/**
 * The result of `promise`, or a rejection after `ms`. The time is counted in slices of at most 100 ms: a
 * process that was suspended or got no CPU loses only one slice, and still reads the responses that
 * arrived meanwhile.
 */
export async function withTimeout<T>(
  promise: Promise<T>,
  ms: number,
  late: () => Error,
): Promise<T> {
  const over = Promise.withResolvers<never>();
  const slices = Math.ceil(ms / SLICE_MS);
  let waited = 0;
  const timer = setInterval(async () => {
    waited += 1;
    if (waited !== slices) return;
    // Timers run before I/O: two turns of the event loop read the responses that have arrived.
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
