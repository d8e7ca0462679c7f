import type { PreparedRow } from './prepare-rows.ts';

/** Rows that follow one another in the file; those that are not refused go out in one call. */
export interface Batch {
  readonly rows: readonly PreparedRow[];
  /** The items of `keys`, written out. */
  readonly json: string;
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
    const size = row.json === null ? 0 : Buffer.byteLength(row.json) + 1;
    if (held.length > 0 && (held.length >= limits.rows || bytes + size > limits.bytes)) {
      yield batchOf(held);
      held = [];
      bytes = 0;
    }
    held.push(row);
    bytes += size;
  }
  if (held.length > 0) yield batchOf(held);
}

const batchOf = (rows: readonly PreparedRow[]): Batch => ({
  rows,
  json: rows
    .map(({ json }) => json)
    .filter((json) => json !== null)
    .join(','),
});
