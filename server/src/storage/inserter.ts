import type { CompiledQuery, Insertable } from 'kysely';
import type { Database, Storage, Tx } from './index.ts';

export type Inserter<Table extends keyof Database> = (
  tx: Tx,
  rows: readonly Insertable<Database[Table]>[],
) => Promise<void>;

/**
 * Inserts into one table by a statement that is built once: to build it for every row takes longer
 * than to run it. The columns are those of the first row ever; every row must have them all.
 */
export function inserterOf<Table extends keyof Database>(
  storage: Storage,
  table: Table,
): Inserter<Table> {
  let prepared: { statement: CompiledQuery; columns: readonly string[] } | undefined;
  return async (tx, rows) => {
    const [first] = rows;
    if (first === undefined) return;
    prepared ??= {
      statement: tx.insertInto(table).values(first).compile(),
      columns: Object.keys(first),
    };
    const { statement, columns } = prepared;
    const valuesOf = (row: object) => columns.map((column) => row[column as keyof typeof row]);
    await storage.many(tx, statement, rows.map(valuesOf));
  };
}
