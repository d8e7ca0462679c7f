import {
  type CompiledQuery,
  type Insertable,
  type QueryExecutorProvider,
  type RawBuilder,
  sql,
} from 'kysely';
import { ManyQuery } from './kysely-driver.ts';
import { Placeholder, parametersOf } from './placeholder.ts';
import type { Database } from './schema/index.ts';
import type { Tx } from './storage.ts';

/** Placeholders for the values of a row. */
type RowParameters<Row> = { readonly [Name in keyof Row]: RawBuilder<Row[Name]> };

/**
 * Runs one statement for many rows, in few messages: for writes of thousands of rows. `build` is called
 * once, and uses parameters in place of the values of a row. Other values are the same for all rows.
 */
export async function executeMany<Row extends object>(
  tx: Tx,
  rows: readonly Row[],
  build: (row: RowParameters<Row>) => { compile(db: QueryExecutorProvider): CompiledQuery },
): Promise<void> {
  if (rows.length === 0) return;
  const statement = build(rowParameters()).compile(tx);
  const parameters = rows.map((row) => parametersOf(statement, row as Record<string, unknown>));
  await tx.executeQuery(new ManyQuery(statement, parameters));
}

/**
 * Has a placeholder for every field. If the statement were built from the first row, a field missing only
 * there would be left out for all rows. This way, `parametersOf` throws.
 */
const rowParameters = <Row extends object>(): RowParameters<Row> =>
  new Proxy({} as RowParameters<Row>, {
    get: (_, name) => sql.val(new Placeholder(String(name))),
  });

/** Inserts any number of rows, in few messages. All have the same columns. */
export async function insertRows<Table extends keyof Database>(
  tx: Tx,
  table: Table,
  rows: readonly Insertable<Database[Table]>[],
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  if (rows.some((row) => Object.keys(row).length !== columns.length))
    throw new TypeError(`Rows of ${table} have different columns.`);
  await executeMany(tx, rows as readonly Record<string, unknown>[], (row) =>
    tx
      .insertInto(table)
      .values(Object.fromEntries(columns.map((column) => [column, row[column]])) as never),
  );
}
