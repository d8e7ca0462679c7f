import type { Kysely } from 'kysely';
import type { Database } from '../index.ts';
import { MOVE } from '../schema.ts';
import type { Place } from './source.ts';

/** How far a move has come; written in the transactions that copy, and true after any crash. */
export interface MoveRecord {
  /** Of the root secret: which installation it is. */
  readonly checkValue: string;
  /** Of the source, as it was at the beginning. */
  readonly fingerprint: string;
  readonly state: 'copying' | 'done';
  /** The table that is being copied; null before the first. */
  readonly table: string | null;
  /** Its last row that was copied. */
  readonly after: Place | null;
  /** Rows copied, of all tables. */
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

/** Half an installation must not be served. Throws when it is one. */
export async function refuseUnfinishedMove(db: Kysely<Database>): Promise<void> {
  const record = await readMove(db);
  if (record === null || record.state === 'done') return;
  throw new Error(
    'An installation is being moved into this database, and is not whole yet. Run npx keyward move again to its end: it goes on where it was.',
  );
}
