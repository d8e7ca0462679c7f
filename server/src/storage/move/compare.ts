import { createHash, type Hash } from 'node:crypto';
import { sql } from 'kysely';
import type { Storage, Tx } from '../index.ts';
import { MOVE } from '../schema/installation.ts';
import type { MoveSource, Row, Value } from './source.ts';
import type { MovedTable } from './table-order.ts';

/** Reading a large table, sorted by the server, can take arbitrarily long. */
const NO_TIMEOUT = { timeoutMs: Number.POSITIVE_INFINITY };
const ROWS_PER_FETCH = 1_000;

/** One side of the comparison: a hash over all rows, in the order of the primary key. */
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

/** Encodes equal values as equal text on both engines; each row ends with a line break. */
const canonical = (row: Row): string => `${JSON.stringify(row.map(encodable))}\n`;

const encodable = (value: Value): unknown =>
  value instanceof Uint8Array ? { bytes: Buffer.from(value).toString('base64') } : value;

/** Throws if the table differs between the two sides. */
export async function compareTable(
  source: MoveSource,
  storage: Storage,
  table: MovedTable,
  onRows: (rows: number) => void,
): Promise<void> {
  const sourceDigest = new Digest();
  const targetDigest = new Digest();
  const rows = source.rows(table);
  await storage.transaction(async (tx) => {
    for await (const page of pagesOf(tx, table)) {
      for (const row of page) {
        targetDigest.add(row);
        const { value, done } = rows.next();
        if (!done) sourceDigest.add(value);
      }
      onRows(page.length);
    }
  }, NO_TIMEOUT);
  for (const row of rows) sourceDigest.add(row);
  if (sourceDigest.rows !== targetDigest.rows)
    throw new Difference(
      `The table ${table.name} has ${sourceDigest.rows} rows in SQLite and ${targetDigest.rows} in PostgreSQL.`,
    );
  if (sourceDigest.end() !== targetDigest.end())
    throw new Difference(`The rows of the table ${table.name} are not the same on both sides.`);
}

/** The copy differs from the source. */
export class Difference extends Error {}

/** Reads with a cursor: sorts once, with one page in memory. Text sorts by its bytes, as in SQLite. */
async function* pagesOf(tx: Tx, table: MovedTable): AsyncGenerator<Row[]> {
  const texts = await textColumns(tx, table.name);
  const order = table.primaryKey.map((column) =>
    texts.has(column) ? sql`${sql.ref(column)} collate "C"` : sql.ref(column),
  );
  const columns = table.columns.map((column) => sql.ref(column));
  // The record of the move is stored in `installation`, but is not part of the source.
  const withoutRecord =
    table.name === 'installation' ? sql` where name <> ${sql.lit(MOVE)}` : sql``;
  await sql`declare moved_rows no scroll cursor for select ${sql.join(columns)}
    from ${sql.table(table.name)}${withoutRecord} order by ${sql.join(order)}`.execute(tx);
  for (;;) {
    const { rows } = await sql<
      Record<string, Value>
    >`fetch ${sql.lit(ROWS_PER_FETCH)} from moved_rows`.execute(tx);
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
