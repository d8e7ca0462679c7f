import { type Kysely, sql } from 'kysely';
import type { Database, Tx } from '../index.ts';

/**
 * Limits how long each later statement of a transaction waits for a table. While a statement waits to change
 * a table that is in use, for example by pg_dump, PostgreSQL lets every later statement on that table wait
 * behind it. The limit of 2 s is below the lock timeout of changes (5 s), so running nodes are only delayed.
 * It is longer than the 1 s after which autovacuum gives way.
 */
export async function limitTableWaits(tx: Tx): Promise<void> {
  await sql`set local lock_timeout = '2s'`.execute(tx);
}

/** A sentence about the transaction that a migration probably waits for; empty if no other is open. */
export async function oldestTransaction(db: Kysely<Database>): Promise<string> {
  const { rows } = await sql<{ pid: number; name: string }>`
    select pid, coalesce(nullif(application_name, ''), 'unnamed') as name from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
    order by xact_start limit 1`.execute(db);
  const [oldest] = rows;
  if (oldest === undefined) return '';
  return `The oldest open transaction belongs to process ${oldest.pid} (${oldest.name}). `;
}
