import { type Kysely, PostgresAdapter, type SelectQueryBuilder } from 'kysely';
import type { Database } from './schema/index.ts';

/**
 * Row locks for PostgreSQL, so that what a transaction has read stays true until it ends. SQLite has a single
 * writer and needs none. Outside a transaction, and on SQLite, the functions below lock nothing.
 */
const takesLocks = (db: Kysely<Database>): boolean =>
  db.isTransaction && db.getExecutor().adapter instanceof PostgresAdapter;

/** For rows that this transaction changes. FOR NO KEY UPDATE: inserts that refer to them do not wait. */
export const forUpdate = <DB, TB extends keyof DB, O>(
  db: Kysely<Database>,
  query: SelectQueryBuilder<DB, TB, O>,
  table: TB & string,
): SelectQueryBuilder<DB, TB, O> => (takesLocks(db) ? query.forNoKeyUpdate(table) : query);

/** For rows that this transaction does not change, but that must not change meanwhile. */
export const forShare = <DB, TB extends keyof DB, O>(
  db: Kysely<Database>,
  query: SelectQueryBuilder<DB, TB, O>,
  table: TB & string,
): SelectQueryBuilder<DB, TB, O> => (takesLocks(db) ? query.forShare(table) : query);

/** For work that nodes share: rows locked by another node are skipped. */
export const forUpdateSkipLocked = <DB, TB extends keyof DB, O>(
  db: Kysely<Database>,
  query: SelectQueryBuilder<DB, TB, O>,
  table: TB & string,
): SelectQueryBuilder<DB, TB, O> =>
  takesLocks(db) ? query.forNoKeyUpdate(table).skipLocked() : query;

/** Locks rows for changes that follow. Runs no query on SQLite. */
export async function lockForUpdate<DB, TB extends keyof DB, O>(
  db: Kysely<Database>,
  query: SelectQueryBuilder<DB, TB, O>,
  table: TB & string,
): Promise<void> {
  if (takesLocks(db)) await query.forNoKeyUpdate(table).execute();
}
