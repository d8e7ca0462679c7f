import type { PreparedRow } from './prepare-rows.ts';

/** Rows that follow one another in the file; those that are not refused go out in one call. */
export interface Batch {
  readonly rows: readonly PreparedRow[];
  readonly keys: readonly object[];
}

export interface BatchLimits {
  readonly rows: number;
  readonly bytes: number;
}

export async function* batchesOf(
  rows: AsyncIterable<PreparedRow>,
  limits: BatchLimits,
): AsyncGenerator<Batch> {
  let held: PreparedRow[] = [];
  let bytes = 0;
  for await (const row of rows) {
    if (held.length > 0 && (held.length >= limits.rows || bytes + row.bytes > limits.bytes)) {
      yield batchOf(held);
      held = [];
      bytes = 0;
    }
    held.push(row);
    bytes += row.bytes;
  }
  if (held.length > 0) yield batchOf(held);
}

const batchOf = (rows: readonly PreparedRow[]): Batch => ({
  rows,
  keys: rows.map(({ key }) => key).filter((key) => key !== null),
});
