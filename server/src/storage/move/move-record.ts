import type { Kysely } from 'kysely';
import type { Database } from '../index.ts';
import { MOVE } from '../schema/installation.ts';
import type { PrimaryKey } from './source.ts';

/** Progress of a move. Written in the transactions that copy, so it is correct after any crash. */
export interface MoveRecord {
  /** Derived from the root secret; identifies the installation. */
  readonly checkValue: string;
  /** Fingerprint of the source when the move started. */
  readonly fingerprint: string;
  readonly state: 'copying' | 'done';
  /** The table being copied; null before the first one. */
  readonly table: string | null;
  /** Primary key of the last copied row of that table. */
  readonly after: PrimaryKey | null;
  /** Rows copied so far, in all tables. */
  readonly rows: number;
}

export async function readMove(db: Kysely<Database>): Promise<MoveRecord | null> {
  const row = await db
    .selectFrom('installation')
    .select('value')
    .where('name', '=', MOVE)
    .executeTakeFirst();
  return row === undefined ? null : (JSON.parse(row.value) as MoveRecord);
}

/** Throws if the database contains a partly moved installation, which must not be served. */
export async function refuseUnfinishedMove(db: Kysely<Database>): Promise<void> {
  const record = await readMove(db);
  if (record === null || record.state === 'done') return;
  throw new Error(
    'A move into this database has not finished. Run npx keyward move again: it continues where it stopped.',
  );
}
