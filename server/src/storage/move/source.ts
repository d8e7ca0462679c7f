import { existsSync, statSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { assertCurrent } from '../files/read-only.ts';
import { type MovedTable, NOT_COPIED, sortTables } from './table-order.ts';

export type Value = string | number | null | Uint8Array;
export type Row = readonly Value[];
/** The primary key of a row. */
export type PrimaryKey = readonly (string | number)[];

/**
 * The SQLite database that is moved, read in the order of the primary keys. The caller has locked the
 * data directory, so no other process uses the database.
 */
export class MoveSource {
  readonly tables: readonly MovedTable[];
  /** Changes when the database is written. */
  readonly fingerprint: string;
  readonly #database: DatabaseSync;

  constructor(file: string) {
    assertCurrent(file);
    this.fingerprint = fingerprintOf(file);
    this.#database = new DatabaseSync(file, { readOnly: true, returnArrays: true });
    this.tables = sortTables(this.#tables());
  }

  count(table: MovedTable): number {
    return Number(this.#all(`select count(*) from ${quoted(table.name)}`)[0]![0]);
  }

  /** Streams the rows after `after`, or all rows. */
  *rows(table: MovedTable, after: PrimaryKey | null = null): Generator<Row> {
    const key = table.primaryKey.map(quoted).join(', ');
    const condition =
      after === null ? '' : ` where (${key}) > (${after.map(() => '?').join(', ')})`;
    const statement = this.#database.prepare(
      `select ${table.columns.map(quoted).join(', ')} from ${quoted(table.name)}${condition} order by ${key}`,
    );
    const values = (after ?? []) as SQLInputValue[];
    yield* statement.iterate(...values) as unknown as Iterable<Row>;
  }

  /** The highest number that each table ever assigned, including deleted rows. */
  lastNumbers(): ReadonlyMap<string, number> {
    const rows = this.#all('select name, seq from sqlite_sequence');
    return new Map(rows.map(([name, seq]) => [String(name), Number(seq)]));
  }

  value(name: string): string | undefined {
    const row = this.#all('select value from installation where name = ?', name)[0];
    return row === undefined ? undefined : String(row[0]);
  }

  close(): void {
    this.#database.close();
  }

  #tables(): MovedTable[] {
    const names = this.#all(
      `select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\'`,
    );
    return names
      .map(([name]) => String(name))
      .filter((name) => !(name in NOT_COPIED))
      .map((name) => this.#table(name));
  }

  #table(name: string): MovedTable {
    const columns = this.#all('select name, pk from pragma_table_info(?)', name).map(
      ([column, pk]) => ({ column: String(column), pk: Number(pk) }),
    );
    const primaryKey = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
    if (primaryKey.length === 0)
      throw new Error(`The table ${name} has no primary key and cannot be moved.`);
    const references = this.#all('select "table" from pragma_foreign_key_list(?)', name);
    return {
      name,
      columns: columns.map(({ column }) => column),
      primaryKey: primaryKey.map(({ column }) => column),
      references: references.map(([other]) => String(other)),
    };
  }

  #all(statement: string, ...values: SQLInputValue[]): Row[] {
    return this.#database.prepare(statement).all(...values) as unknown as Row[];
  }
}

export const primaryKeyOf = (table: MovedTable, row: Row): PrimaryKey =>
  table.primaryKey.map((column) => row[table.columns.indexOf(column)] as string | number);

const quoted = (name: string): string => `"${name}"`;

/** Differs after every change of the database or its WAL. An empty WAL is ignored: readers create and remove it. */
function fingerprintOf(file: string): string {
  const states = [file, `${file}-wal`].map((path) => {
    if (!existsSync(path)) return '';
    const { size, mtimeNs } = statSync(path, { bigint: true });
    return size === 0n ? '' : `${size}@${mtimeNs}`;
  });
  return states.join(' ');
}
