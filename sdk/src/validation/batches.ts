/** The server takes 1,000 keys and 64 KB at once; the rest of the 64 KB is for the brackets. */
const KEYS_MAX = 1_000;
const BYTES_MAX = 60_000;

const LENGTH_MAX = 4_096;

/**
 * False for what the server would refuse as a bad call and not just as a bad key: too long, a NUL,
 * half a character. No such text is a key, so that nobody need be asked.
 */
export const canBeAsked = (key: string): boolean =>
  key.length <= LENGTH_MAX && !key.includes('\0') && key.isWellFormed();

/** The keys in runs that fit into one call each, in their order. */
export function batchesOf(keys: readonly string[]): string[][] {
  const batches: string[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const key of keys) {
    const size = bytesOf(key);
    let batch = batches.at(-1);
    if (!batch || batch.length === KEYS_MAX || bytes + size > BYTES_MAX) {
      batch = [];
      batches.push(batch);
      bytes = 0;
    }
    batch.push(key);
    bytes += size;
  }
  return batches;
}

/** As JSON, with its comma. */
const bytesOf = (key: string): number => new TextEncoder().encode(JSON.stringify(key)).length + 1;
