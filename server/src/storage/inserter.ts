import type { CompiledQuery, Insertable } from 'kysely';
import type { Database, Step, Storage, Tx } from './index.ts';

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
  const insertion = insertionOf(storage, table);
  return async (tx, rows) => {
    const steps = rows.map(insertion);
    const [first] = steps;
    if (first === undefined) return;
    await storage.many(
      tx,
      first.statement,
      steps.map(({ parameters }) => parameters),
    );
  };
}

/** The same as steps of a script, a row each. */
export function insertionOf<Table extends keyof Database>(
  storage: Storage,
  table: Table,
): (row: Insertable<Database[Table]>) => Step {
  let prepared: { statement: CompiledQuery; columns: readonly string[] } | undefined;
  return (row) => {
    prepared ??= {
      statement: storage.point.insertInto(table).values(row).compile(),
      columns: Object.keys(row),
    };
    const { statement, columns } = prepared;
    const values = row as Record<string, unknown>;
    return { statement, parameters: columns.map((column) => values[column]) };
  };
}
