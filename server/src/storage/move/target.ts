import { CompiledQuery, sql } from 'kysely';
import type { Storage, Tx } from '../index.ts';
import { ManyQuery } from '../kysely-driver.ts';
import { CHECK_VALUE, MOVE } from '../schema/installation.ts';
import type { MoveRecord } from './move-record.ts';
import type { PrimaryKey, Row } from './source.ts';
import { FILLED_BY_TRIGGERS, type MovedTable, SEEDED } from './table-order.ts';

/** Enough to write a page, or to run the last steps, on a busy server. */
const LONG_TIMEOUT = { timeoutMs: 600_000 };

const quoted = (name: string): string => `"${name}"`;

/**
 * The database that an installation is moved into. Each transaction writes the copied rows together with the
 * progress, so that a killed run can be resumed. A second run at the same time fails, because it does not
 * find the record that it wrote last.
 */
export class MoveTarget {
  readonly #storage: Storage;
  readonly #tables: readonly MovedTable[];
  #record: MoveRecord;

  private constructor(storage: Storage, tables: readonly MovedTable[], record: MoveRecord) {
    this.#storage = storage;
    this.#tables = tables;
    this.#record = record;
  }

  /** Starts a move into an empty database. */
  static async begin(
    storage: Storage,
    tables: readonly MovedTable[],
    of: Pick<MoveRecord, 'checkValue' | 'fingerprint'>,
  ): Promise<MoveTarget> {
    const record = initialRecord(of);
    await storage.transaction(async (tx) => {
      // A node that starts at the same time inserts its first rows under the same lock.
      await storage.lock(tx, CHECK_VALUE);
      for (const { name } of tables)
        if (!SEEDED.includes(name) && (await hasRows(tx, name)))
          throw new Error(`The database is not empty: there are rows in its table ${name}.`);
      await empty(tx, tables);
      await tx.insertInto('installation').values(rowOf(record)).execute();
    }, LONG_TIMEOUT);
    return new MoveTarget(storage, tables, record);
  }

  /** Continues the last run. Starts over if the source has changed since. */
  static async resume(
    storage: Storage,
    tables: readonly MovedTable[],
    found: MoveRecord,
    fingerprint: string,
  ): Promise<MoveTarget> {
    const target = new MoveTarget(storage, tables, found);
    if (found.fingerprint !== fingerprint) await target.#startOver(fingerprint);
    return target;
  }

  get record(): MoveRecord {
    return this.#record;
  }

  async write(table: MovedTable, rows: readonly Row[], last: PrimaryKey): Promise<void> {
    const columns = table.columns.map(quoted).join(', ');
    const placeholders = table.columns.map((_, n) => `$${n + 1}`).join(', ');
    const insert = CompiledQuery.raw(
      `insert into ${quoted(table.name)} (${columns}) values (${placeholders})`,
    );
    const next: MoveRecord = {
      ...this.#record,
      table: table.name,
      after: last,
      rows: this.#record.rows + rows.length,
    };
    await this.#step(next, (tx) => tx.executeQuery(new ManyQuery(insert, rows)));
  }

  /** Continues the numbering after the last number ever assigned, and removes sealed rows from `audit_unsealed`. */
  async finishTables(lastNumbers: ReadonlyMap<string, number>): Promise<void> {
    await this.#step(this.#record, async (tx) => {
      for (const [table, last] of lastNumbers) {
        const column = this.#tables.find(({ name }) => name === table)?.primaryKey[0];
        if (column !== undefined && last > 0)
          await sql`select setval(pg_get_serial_sequence(${table}, ${column}), ${last})`.execute(
            tx,
          );
      }
      // On SQLite, rows are sealed in the order of their numbers.
      await sql`delete from audit_unsealed where seq <= (select max(audit_seq) from audit_seals)`.execute(
        tx,
      );
      // Without statistics the first queries would use the plans of empty tables.
      await sql.raw(`analyze ${namesOf(this.#tables).join(', ')}`).execute(tx);
    });
  }

  /** Allows nodes to serve the copy. */
  finish(): Promise<void> {
    return this.#step({ ...this.#record, state: 'done' });
  }

  /** Makes the next run start over, because the comparison failed. */
  invalidate(): Promise<void> {
    return this.#step({ ...this.#record, fingerprint: '' });
  }

  #startOver(fingerprint: string): Promise<void> {
    const next = initialRecord({ checkValue: this.#record.checkValue, fingerprint });
    return this.#step(next, async (tx) => {
      await empty(tx, this.#tables);
      await tx.insertInto('installation').values(rowOf(next)).execute();
    });
  }

  async #step(next: MoveRecord, work?: (tx: Tx) => Promise<unknown>): Promise<void> {
    await this.#storage.transaction(async (tx) => {
      const { numUpdatedRows } = await tx
        .updateTable('installation')
        .set({ value: JSON.stringify(next) })
        .where('name', '=', MOVE)
        .where('value', '=', JSON.stringify(this.#record))
        .executeTakeFirstOrThrow();
      if (numUpdatedRows !== 1n) throw new Error('Another move is writing into the same database.');
      await work?.(tx);
    }, LONG_TIMEOUT);
    this.#record = next;
  }
}

const initialRecord = (of: Pick<MoveRecord, 'checkValue' | 'fingerprint'>): MoveRecord => ({
  checkValue: of.checkValue,
  fingerprint: of.fingerprint,
  state: 'copying',
  table: null,
  after: null,
  rows: 0,
});

const rowOf = (record: MoveRecord) => ({ name: MOVE, value: JSON.stringify(record) });

async function hasRows(tx: Tx, table: string): Promise<boolean> {
  const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(tx);
  return rows.length > 0;
}

async function empty(tx: Tx, tables: readonly MovedTable[]): Promise<void> {
  await sql.raw(`truncate ${namesOf(tables).join(', ')} restart identity`).execute(tx);
}

const namesOf = (tables: readonly MovedTable[]): string[] =>
  [...tables.map(({ name }) => name), ...FILLED_BY_TRIGGERS].map(quoted);
