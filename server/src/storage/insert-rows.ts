import type { Insertable } from 'kysely';
import type { Database } from './schema/index.ts';
import type { Storage, Tx } from './storage.ts';

/** Inserts any number of rows in one message. All rows must have the columns of the first. */
export async function insertRows<Table extends keyof Database>(
  storage: Storage,
  tx: Tx,
  table: Table,
  rows: readonly Insertable<Database[Table]>[],
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const columns = Object.keys(first);
  await storage.executeMany(
    tx,
    tx.insertInto(table).values(first).compile(),
    rows.map((row) => columns.map((column) => (row as Record<string, unknown>)[column])),
  );
}
