import { sql } from 'kysely';
import { isoTimeOrNull } from '../../kernel/time/clock.ts';
import { nextRefill, type RefillInterval } from './calendar.ts';
import type { Credits } from './schema.ts';

/** The credits of a key or customer, joined to its row. */
export interface CreditsColumns {
  /** Null: the key or customer has no credits. */
  readonly credits_balance: number | null;
  readonly credits_amount: number | null;
  readonly credits_interval: RefillInterval | null;
  readonly credits_timezone: string | null;
  readonly credits_refill_at: number | null;
}

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

export const NO_CREDITS: CreditsColumns = {
  credits_balance: null,
  credits_amount: null,
  credits_interval: null,
  credits_timezone: null,
  credits_refill_at: null,
};

/** Applies a refill that is due at `now`; by default, none is. `unstored`: use that is not stored yet. */
export function creditsOf(row: CreditsColumns, now = 0, unstored = 0): Credits | null {
  const { credits_balance: balance, credits_amount: amount, credits_interval: interval } = row;
  if (balance === null) return null;
  const { credits_refill_at: refillAt, credits_timezone } = row;
  const timezone = credits_timezone ?? 'UTC';
  const refill = amount === null || interval === null ? null : { amount, interval, timezone };
  if (refill === null || refillAt === null || now < refillAt)
    return {
      remaining: Math.max(0, balance - unstored),
      refill,
      nextRefillAt: isoTimeOrNull(refillAt),
    };
  const nextRefillAt = isoTimeOrNull(nextRefill(now, refill.interval, timezone));
  return { remaining: refill.amount, refill, nextRefillAt };
}

export const creditsColumns = (credits: Credits | null): CreditsColumns =>
  credits === null
    ? NO_CREDITS
    : {
        credits_balance: credits.remaining,
        credits_amount: credits.refill?.amount ?? null,
        credits_interval: credits.refill?.interval ?? null,
        credits_timezone: credits.refill?.timezone ?? null,
        credits_refill_at: credits.nextRefillAt === null ? null : Date.parse(credits.nextRefillAt),
      };
