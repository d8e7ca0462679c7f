/** Far below the parameter limit of either database. */
const ROWS_PER_STATEMENT = 500;

export function* chunksOf<T>(
  items: readonly T[],
  size = ROWS_PER_STATEMENT,
): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

/**
 * Deletes rows in short transactions, so that other changes do not wait long. `deleteSome` deletes at most
 * `max` rows and returns how many it deleted. Returns the total.
 */
export async function deleteInBatches(
  max: number,
  deleteSome: (max: number) => Promise<number>,
): Promise<number> {
  let total = 0;
  for (;;) {
    const deleted = await deleteSome(max);
    total += deleted;
    if (deleted < max) return total;
  }
}
