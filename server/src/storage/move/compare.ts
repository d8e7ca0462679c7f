import { createHash, type Hash } from 'node:crypto';
import { sql } from 'kysely';
import type { Storage, Tx } from '../index.ts';
import { MOVE } from '../schema.ts';
import type { MoveSource, Row, Value } from './source.ts';
import type { MovedTable } from './table-order.ts';

/** One pass over a large table, sorted by the server, takes as long as it takes. */
const UNHURRIED = { timeoutMs: Number.POSITIVE_INFINITY };
const ROWS_A_FETCH = 1_000;

/** A side of the comparison: every row that went by, in the order of the primary key. */
class Digest {
  rows = 0;
  readonly #hash: Hash = createHash('sha256');

  add(row: Row): void {
    this.#hash.update(canonical(row));
    this.rows++;
  }

  end(): string {
    return this.#hash.digest('base64url');
  }
}

/** The same text for the same values on either engine; a line cannot run into the next. */
const canonical = (row: Row): string => `${JSON.stringify(row.map(told))}\n`;

const told = (value: Value): unknown =>
  value instanceof Uint8Array ? { bytes: Buffer.from(value).toString('base64') } : value;

/** Throws when the table is not the same on both sides. */
export async function compareTable(
  source: MoveSource,
  storage: Storage,
  table: MovedTable,
  onRows: (rows: number) => void,
): Promise<void> {
  const here = new Digest();
  const there = new Digest();
  const rows = source.rows(table);
  await storage.transaction(async (tx) => {
    for await (const page of pagesOf(tx, table)) {
      for (const row of page) {
        there.add(row);
        const { value, done } = rows.next();
        if (!done) here.add(value);
      }
      onRows(page.length);
    }
  }, UNHURRIED);
  for (const row of rows) here.add(row);
  if (here.rows !== there.rows)
    throw new Difference(
      `The table ${table.name} has ${here.rows} rows in SQLite and ${there.rows} in PostgreSQL.`,
    );
  if (here.end() !== there.end())
    throw new Difference(`The rows of the table ${table.name} are not the same on both sides.`);
}

/** The copy is not what was copied. */
export class Difference extends Error {}

/** By a cursor: one sort, and a page of memory. Text sorts by its bytes, as it does in SQLite. */
async function* pagesOf(tx: Tx, table: MovedTable): AsyncGenerator<Row[]> {
  const texts = await textColumns(tx, table.name);
  const order = table.primaryKey.map((column) =>
    texts.has(column) ? sql`${sql.ref(column)} collate "C"` : sql.ref(column),
  );
  const columns = table.columns.map((column) => sql.ref(column));
  // The record of the move stands among the rows of the installation, and is none of them.
  const ours = table.name === 'installation' ? sql` where name <> ${sql.lit(MOVE)}` : sql``;
  await sql`declare moved_rows no scroll cursor for select ${sql.join(columns)}
    from ${sql.table(table.name)}${ours} order by ${sql.join(order)}`.execute(tx);
  for (;;) {
    const { rows } = await sql<
      Record<string, Value>
    >`fetch ${sql.lit(ROWS_A_FETCH)} from moved_rows`.execute(tx);
    if (rows.length === 0) return;
    yield rows.map((row) => table.columns.map((column) => row[column]!));
  }
}

async function textColumns(tx: Tx, table: string): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`
    select column_name as name from information_schema.columns
    where table_schema = current_schema() and table_name = ${table} and data_type = 'text'`.execute(
    tx,
  );
  return new Set(rows.map(({ name }) => name));
}
