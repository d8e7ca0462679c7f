import { type Kysely, sql } from 'kysely';
import type { Migration } from './migration.ts';

/**
 * Indexes for the sorts and filters of long lists: docs/decisions/0076-long-lists.md. All are partial: a key
 * without these settings has no entry, so that creating it costs no more than before. Nothing reads them by
 * name, and older code only maintains them.
 */
export const listIndexes: Migration = {
  version: 23,
  name: 'indexes of long lists',
  async up(db) {
    await partial(db, 'api_keys_by_expiry', 'api_keys (account_id, expires_at, id)', [
      'expires_at is not null',
    ]);
    await partial(db, 'api_keys_revoked', 'api_keys (account_id, id)', ['is_active = 0']);
    await partial(db, 'api_keys_limited', 'api_keys (account_id, id)', [
      "(rate_limit is not null or coalesce(limits, '[]') <> '[]')",
    ]);
    await partial(db, 'credit_pools_low', 'credit_pools (account_id, owner)', [
      "owner_type = 'key'",
      '(remaining - owed) * 5 <= coalesce(starting_balance, 0)',
    ]);
  },
};

async function partial(
  db: Kysely<unknown>,
  name: string,
  columns: string,
  where: readonly string[],
): Promise<void> {
  await sql.raw(`create index ${name} on ${columns} where ${where.join(' and ')}`).execute(db);
}
