import type { PreparedRow } from './prepare-rows.ts';

/** Consecutive rows of the file; those that are not refused are sent in one call. */
export interface Batch {
  readonly rows: readonly PreparedRow[];
  readonly items: readonly object[];
}

export interface BatchLimits {
  readonly rows: number;
  readonly bytes: number;
}

export async function* batchesOf(
  rows: AsyncIterable<PreparedRow>,
  limits: BatchLimits,
): AsyncGenerator<Batch> {
  let pending: PreparedRow[] = [];
  let bytes = 0;
  for await (const row of rows) {
    if (pending.length > 0 && (pending.length >= limits.rows || bytes + row.bytes > limits.bytes)) {
      yield batchOf(pending);
      pending = [];
      bytes = 0;
    }
    pending.push(row);
    bytes += row.bytes;
  }
  if (pending.length > 0) yield batchOf(pending);
}

const batchOf = (rows: readonly PreparedRow[]): Batch => ({
  rows,
  items: rows.map(({ item }) => item).filter((item) => item !== null),
});
