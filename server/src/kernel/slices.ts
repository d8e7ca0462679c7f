import { setImmediate } from 'node:timers/promises';

/** Resolves when other requests have had their turn. */
export const nextTurn = (): Promise<void> => setImmediate();

/**
 * Splits work on many items, so that other requests have their turn between two slices. A slice should take a few
 * milliseconds: the validations that arrive meanwhile wait for it.
 */
export async function* inSlices<T>(
  items: readonly T[],
  size: number,
): AsyncGenerator<readonly T[], void> {
  for (let start = 0; start < items.length; start += size) {
    if (start > 0) await nextTurn();
    yield items.slice(start, start + size);
  }
}
