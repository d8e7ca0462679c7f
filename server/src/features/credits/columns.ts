import type { Refill } from '@keyward/rules/credits/pool.ts';
import { sql } from 'kysely';

/** The refills of a pool. */
interface RefillColumns {
  readonly refill_amount: number | null;
  readonly refill_interval: Refill['interval'] | null;
  readonly refill_timezone: string | null;
  readonly refill_anchor: number | null;
}

/** The credits of a key or customer, joined to its row. */
export interface CreditsColumns extends RefillColumns {
  /** Null: the key or customer has no credits. */
  readonly credits_balance: number | null;
  readonly next_refill_at: number | null;
  readonly grants: string | null;
}

/** Selects the columns besides `credits_balance`. The query must join the pool as `own_pool`. */
export const REFILL_COLUMNS = [
  'own_pool.refill_amount',
  'own_pool.refill_interval',
  'own_pool.refill_timezone',
  'own_pool.refill_anchor',
  'own_pool.next_refill_at',
  'own_pool.grants',
] as const;

/**
 * Selects `credits_balance`. The query must join the pool as `own_pool`. Leases that have ended by `now`
 * count as spent; by default, none do.
 */
export const creditsBalance = (now = 0) => sql<
  number | null
>`own_pool.remaining - own_pool.owed + coalesce((
  select sum(credit_blocks.amount - credit_blocks.spent) from credit_blocks
  where credit_blocks.project_id = own_pool.project_id
    and credit_blocks.owner_type = own_pool.owner_type
    and credit_blocks.owner = own_pool.owner
    and (credit_blocks.ends_at > ${now} or substr(credit_blocks.node, 1, 4) <> 'lse_')), 0)`;

export const refillOf = (row: RefillColumns): Refill | null =>
  row.refill_amount === null || row.refill_interval === null
    ? null
    : {
        amount: row.refill_amount,
        interval: row.refill_interval,
        timezone: row.refill_timezone ?? 'UTC',
        anchor: row.refill_anchor,
      };
