import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from './schema/index.ts';
import type { Storage } from './storage.ts';

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

/** Each takes a few milliseconds, so that other changes do not wait. */
const DELETED_AT_ONCE = 500;

/**
 * Deletes all rows that match. `key`: the primary key. The condition must use an index. Several nodes may run
 * this at the same time: a row that another node has deleted is not found.
 */
export const deleteMatching = (
  storage: Storage,
  table: keyof Database,
  key: readonly string[],
  condition: RawBuilder<SqlBool>,
): Promise<number> => {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  return deleteInBatches(DELETED_AT_ONCE, async (max) => {
    const some = sql`select ${columns} from ${sql.table(table)} where ${condition} limit ${max}`;
    const { numAffectedRows } = await storage.transaction((tx) =>
      sql`delete from ${sql.table(table)} where (${columns}) in (${some})`.execute(tx),
    );
    return Number(numAffectedRows ?? 0);
  });
};
