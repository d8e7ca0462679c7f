import { type Kysely, sql } from 'kysely';
import { chunksOf, type Database } from '../../../storage/index.ts';

/** What the replay needs to know about a key. */
export interface PreviewedKey {
  readonly seq: number;
  readonly id: string;
  readonly custom_account_id: string | null;
  readonly limit_group: string;
  /** Limits of the key and of its customer, which replace those of a plan. */
  readonly limits: string | null;
  readonly customer_limits: string | null;
  /** 1: the key or its customer has credits that no plan opened. */
  readonly has_own_credits: 0 | 1;
}

export async function previewedKeys(
  db: Kysely<Database>,
  seqs: readonly number[],
): Promise<PreviewedKey[]> {
  const found: PreviewedKey[] = [];
  for (const chunk of chunksOf(seqs))
    found.push(
      ...(await db
        .selectFrom('api_keys')
        .leftJoin('customers', (join) =>
          join
            .onRef('customers.project_id', '=', 'api_keys.project_id')
            .onRef('customers.custom_account_id', '=', 'api_keys.custom_account_id'),
        )
        .select([
          'api_keys.seq',
          'api_keys.id',
          'api_keys.custom_account_id',
          'api_keys.limit_group',
          'api_keys.limits',
          'customers.limits as customer_limits',
          sql<0 | 1>`case when exists (
            select 1 from credit_pools
            where credit_pools.project_id = api_keys.project_id
              and credit_pools.plan_id is null
              and ((owner_type = 'key' and owner = api_keys.limit_group)
                or (owner_type = 'customer' and owner = api_keys.custom_account_id))
          ) then 1 else 0 end`.as('has_own_credits'),
        ])
        .where('api_keys.seq', 'in', chunk)
        .execute()),
    );
  return found;
}
