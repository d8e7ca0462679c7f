import { batchesOf, canBeKey, KEYS_MAX } from '../validation/batches.ts';
import type { Described, LeaseResponse } from './server.ts';

/** The values of keys: an array, or read one after the other from a file or a database. */
export type KeyValues = Iterable<string> | AsyncIterable<string>;

export interface WarmUpProgress {
  /** Keys that are in memory, including those that were before. */
  readonly cached: number;
  /** Values that are not valid keys. */
  readonly refused: number;
  /** Valid keys that will be fetched when they are used: keys with credits, and keys that were changed meanwhile. */
  readonly skipped: number;
}

export interface WarmUpOptions {
  /** Ends the warm-up, which then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each 1,000 values. */
  readonly onProgress?: ((progress: WarmUpProgress) => void) | undefined;
}

export interface WarmUpResult extends WarmUpProgress {
  /** False if the cache was full before all values were read. */
  readonly isComplete: boolean;
}

interface Cache {
  has(value: string): boolean;
  /** How many keys can be added without removing others. */
  readonly room: number;
  describe(values: readonly string[], signal: AbortSignal | undefined): Promise<Described[]>;
  /** Returns false if the key was changed meanwhile. */
  add(value: string, response: LeaseResponse): boolean;
}

/** Caches keys, 1,000 with each request and one request at a time. */
export async function warmUp(
  values: KeyValues,
  { signal, onProgress }: WarmUpOptions,
  cache: Cache,
): Promise<WarmUpResult> {
  const counts = { cached: 0, refused: 0, skipped: 0 };
  let waiting: string[] = [];

  async function fetchWaiting(): Promise<void> {
    const some = waiting;
    waiting = [];
    for (const batch of batchesOf(some, KEYS_MAX)) {
      const results = await cache.describe(batch, signal);
      signal?.throwIfAborted();
      for (const [n, result] of results.entries()) {
        if (result === 'refused') counts.refused++;
        else if (result !== 'unleased' && cache.room > 0 && cache.add(batch[n]!, result))
          counts.cached++;
        else counts.skipped++;
      }
    }
    onProgress?.({ ...counts });
  }

  for await (const value of values) {
    signal?.throwIfAborted();
    if (cache.has(value)) counts.cached++;
    else if (!canBeKey(value)) counts.refused++;
    else if (cache.room <= 0) {
      const skipped = counts.skipped + waiting.length;
      return { ...counts, skipped, isComplete: false };
    } else waiting.push(value);
    if (waiting.length > 0 && waiting.length >= Math.min(KEYS_MAX, cache.room))
      await fetchWaiting();
  }
  if (waiting.length > 0) await fetchWaiting();
  return { ...counts, isComplete: true };
}
