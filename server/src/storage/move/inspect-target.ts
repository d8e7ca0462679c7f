import { sql } from 'kysely';
import type { Storage } from '../index.ts';
import { migrate, schemaVersion } from '../migrate.ts';
import { CHECK_VALUE } from '../schema/installation.ts';
import { type MoveRecord, readMove } from './move-record.ts';
import { type MovedTable, NOT_COPIED } from './table-order.ts';

export type TargetState =
  | { readonly kind: 'empty' }
  /** An earlier run did not finish. */
  | { readonly kind: 'begun'; readonly record: MoveRecord }
  /** The complete installation, copied from the same source. */
  | { readonly kind: 'done' };

/** Runs before anything is written. Throws if the database belongs to something else. */
export async function inspectTarget(
  storage: Storage,
  checkValue: string,
  fingerprint: string,
): Promise<TargetState> {
  const tables = await tableNames(storage);
  if (tables.every((name) => name in NOT_COPIED)) return { kind: 'empty' };
  if (!tables.includes('schema_version') || !tables.includes('installation'))
    throw new Error(
      `The database is not empty and does not belong to Keyward: it contains the tables ${shown(tables)}. Create an empty database for Keyward.`,
    );
  const record = await readMove(storage.point);
  const found = record?.checkValue ?? (await checkValueIn(storage));
  if (found === undefined) return { kind: 'empty' };
  if (found !== checkValue)
    throw new Error(
      'The database contains another installation, with another root secret. Create an empty database for this one.',
    );
  if (record?.state === 'copying') return { kind: 'begun', record };
  if (record?.fingerprint === fingerprint) return { kind: 'done' };
  throw new Error(
    'The database already contains an installation with this root secret, but it differs from the current data directory. To move again, recreate the database; every change made in it is then lost.',
  );
}

/** Migrates the target, and throws if its tables or columns differ from those of the source. */
export async function prepareSchema(
  storage: Storage,
  tables: readonly MovedTable[],
  now: number,
): Promise<void> {
  const { from } = await migrate(storage, now);
  if (from > schemaVersion)
    throw new Error(
      `The database has schema version ${from}, the data directory ${schemaVersion}. Move with the newer Keyward, after starting it on the data directory once.`,
    );
  const { rows } = await sql<{ name: string; columns: string[] }>`
    select table_name as name, array_agg(column_name::text) as columns
    from information_schema.columns where table_schema = current_schema()
    group by table_name`.execute(storage.read);
  const targetColumns = new Map(rows.map(({ name, columns }) => [name, new Set(columns)]));
  for (const { name, columns } of tables) {
    const others = targetColumns.get(name);
    if (others?.size !== columns.length || !columns.every((column) => others.has(column)))
      throw new Error(`The table ${name} has different columns in PostgreSQL and in SQLite.`);
  }
}

async function tableNames(storage: Storage): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = current_schema() and table_type = 'BASE TABLE'
    order by table_name`.execute(storage.read);
  return rows.map(({ name }) => name);
}

async function checkValueIn(storage: Storage): Promise<string | undefined> {
  const row = await storage.point
    .selectFrom('installation')
    .select('value')
    .where('name', '=', CHECK_VALUE)
    .executeTakeFirst();
  return row?.value;
}

const SHOWN = 5;

const shown = (names: readonly string[]): string =>
  names.slice(0, SHOWN).join(', ') + (names.length > SHOWN ? ', …' : '');
