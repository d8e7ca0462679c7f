import { isoTimeOrNull } from '../../kernel/time/clock.ts';
import { type CreditsColumns, refillOf } from './columns.ts';
import { balanceOf, broughtUpToDate, isRefilledSince, type Pool, poolWith } from './pool.ts';
import type { Credits } from './schema.ts';

/** A pool as the API shows it at `now`. `unstored`: use that is not stored yet. */
export function creditsRecord(pool: Pool, now: number, unstored = 0): Credits {
  const current = broughtUpToDate(pool, now, null);
  const isRefilled = isRefilledSince(pool.nextRefillAt, current, now);
  const balance = balanceOf(current) - (isRefilled ? 0 : unstored);
  return {
    remaining: Math.max(0, balance),
    refill: current.refill,
    nextRefillAt: isoTimeOrNull(current.nextRefillAt),
  };
}

/** The credits in a row. Applies a refill that is due at `now`; by default, none is. */
export function creditsOf(row: CreditsColumns, now = 0, unstored = 0): Credits | null {
  if (row.credits_balance === null) return null;
  const refills = { refill: refillOf(row), nextRefillAt: row.next_refill_at };
  return creditsRecord({ ...poolWith(row.credits_balance), ...refills }, now, unstored);
}
