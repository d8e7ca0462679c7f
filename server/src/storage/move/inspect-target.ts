import { sql } from 'kysely';
import type { Storage } from '../index.ts';
import { migrate, schemaVersion } from '../migrate.ts';
import { CHECK_VALUE } from '../schema.ts';
import { type MoveRecord, readMove } from './move-record.ts';
import { LEFT_OUT, type MovedTable } from './table-order.ts';

export type TargetState =
  | { readonly kind: 'empty' }
  /** A run was ended before its end. */
  | { readonly kind: 'begun'; readonly record: MoveRecord }
  /** The same installation, whole, from the same source. */
  | { readonly kind: 'done' };

/** Looks before anything is written. Throws when the database is anybody else's. */
export async function inspectTarget(
  storage: Storage,
  checkValue: string,
  fingerprint: string,
): Promise<TargetState> {
  const tables = await tableNames(storage);
  if (tables.every((name) => name in LEFT_OUT)) return { kind: 'empty' };
  if (!tables.includes('schema_version') || !tables.includes('installation'))
    throw new Error(
      `The database is not empty, and not Keyward's: it has the tables ${shown(tables)}. Make an empty one for Keyward.`,
    );
  const record = await readMove(storage.point);
  const held = record?.checkValue ?? (await checkValueIn(storage));
  if (held === undefined) return { kind: 'empty' };
  if (held !== checkValue)
    throw new Error(
      'The database holds another installation, made with another root secret. Make an empty one for this.',
    );
  if (record?.state === 'copying') return { kind: 'begun', record };
  if (record?.fingerprint === fingerprint) return { kind: 'done' };
  throw new Error(
    'The database already holds an installation with this root secret, which is not the one in the data directory as it is now. To move again, make the database anew; whatever was changed in it is then gone.',
  );
}

/** The same tables with the same columns on both sides, or nothing is copied. */
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
  const there = new Map(rows.map(({ name, columns }) => [name, new Set(columns)]));
  for (const { name, columns } of tables) {
    const others = there.get(name);
    if (others?.size !== columns.length || !columns.every((column) => others.has(column)))
      throw new Error(`The table ${name} has other columns in PostgreSQL than in SQLite.`);
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
