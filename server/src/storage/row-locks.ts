import { type Kysely, PostgresAdapter, type SelectQueryBuilder } from 'kysely';
import type { Database } from './schema.ts';

/**
 * Locks on rows, for what SQLite's one writer gives for nothing: what a transaction has read stays
 * true until it ends. Outside a transaction, and on SQLite, they change nothing.
 */
const takesLocks = (db: Kysely<Database>): boolean =>
  db.isTransaction && db.getExecutor().adapter instanceof PostgresAdapter;

/** For rows that this transaction is about to change. Those who only refer to them do not wait. */
export const toChange = <DB, TB extends keyof DB, O>(
  db: Kysely<Database>,
  query: SelectQueryBuilder<DB, TB, O>,
  table: TB & string,
): SelectQueryBuilder<DB, TB, O> => (takesLocks(db) ? query.forNoKeyUpdate(table) : query);

/** For rows that must stay as they are, though this transaction leaves them alone. */
export const toRelyOn = <DB, TB extends keyof DB, O>(
  db: Kysely<Database>,
  query: SelectQueryBuilder<DB, TB, O>,
  table: TB & string,
): SelectQueryBuilder<DB, TB, O> => (takesLocks(db) ? query.forShare(table) : query);

/** For work that several nodes share out: rows that another one has in hand are passed over. */
export const toTake = <DB, TB extends keyof DB, O>(
  db: Kysely<Database>,
  query: SelectQueryBuilder<DB, TB, O>,
  table: TB & string,
): SelectQueryBuilder<DB, TB, O> =>
  takesLocks(db) ? query.forNoKeyUpdate(table).skipLocked() : query;

/** Takes the rows for changes that follow, where there is something to take: one journey less. */
export async function lockAll<DB, TB extends keyof DB, O>(
  db: Kysely<Database>,
  query: SelectQueryBuilder<DB, TB, O>,
  table: TB & string,
): Promise<void> {
  if (takesLocks(db)) await query.forNoKeyUpdate(table).execute();
}
