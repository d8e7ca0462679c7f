import type { Insertable, Kysely } from 'kysely';
import { chunksOf, type Database, insertRows, type Tx } from '../../../storage/index.ts';
import type { CreditPoolsTable } from '../../../storage/schema/credits.ts';
import type { ApiKeysTable } from '../../../storage/schema/keys.ts';

export interface TakenHash {
  readonly id: string;
  readonly hash: string;
  readonly project_id: string;
}

/** The keys of the account with one of these hashes, by hash. */
export async function takenHashes(
  db: Kysely<Database>,
  accountId: string,
  hashes: readonly string[],
): Promise<Map<string, TakenHash>> {
  const taken = new Map<string, TakenHash>();
  for (const chunk of chunksOf(hashes)) {
    const rows = await db
      .selectFrom('api_keys')
      .select(['id', 'hash', 'project_id'])
      .where('account_id', '=', accountId)
      .where('hash', 'in', chunk)
      .execute();
    for (const row of rows) taken.set(row.hash, row);
  }
  return taken;
}

type NewKey = Insertable<ApiKeysTable>;

export const insertKeys = (tx: Tx, rows: readonly NewKey[]): Promise<void> =>
  insertRows(tx, 'api_keys', rows);

export const insertPools = (tx: Tx, rows: readonly Insertable<CreditPoolsTable>[]): Promise<void> =>
  insertRows(tx, 'credit_pools', rows);
