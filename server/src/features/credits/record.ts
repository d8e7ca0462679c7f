import {
  balanceOf,
  consumed,
  type Grant,
  openGrants,
  type Pool,
  sumOf,
} from '@keyward/rules/credits/pool.ts';
import { broughtUpToDate } from '@keyward/rules/credits/time.ts';
import { isoTime, isoTimeOrNull } from '../../kernel/time/clock.ts';
import { type CreditsColumns, refillOf } from './columns.ts';
import { stateOf, withBalanceOf } from './pool-row.ts';
import type { Credits, CreditsWithGrants } from './schema.ts';

/** Use that is not stored yet, and until when it can have happened. */
export interface UnstoredUse {
  readonly amount: number;
  readonly usedBy: number;
}

const NONE: UnstoredUse = { amount: 0, usedBy: 0 };

/** A pool as it is at `now`, with what has become due since it was stored. */
export const poolAt = (pool: Pool, now: number, { amount, usedBy }: UnstoredUse = NONE): Pool =>
  broughtUpToDate(consumed(pool, amount, { usedBy, at: now }), { now, makeId: () => '' }, null);

/** A pool as the API shows it at `now`. */
export function creditsRecord(pool: Pool, now: number, unstored = NONE): Credits {
  const current = poolAt(pool, now, unstored);
  const { refill, nextRefillAt, overdrawn } = current;
  return {
    remaining: Math.max(0, balanceOf(current)),
    held: 0,
    overdrawn,
    refill: refill && refillRecord(refill),
    nextRefillAt: isoTimeOrNull(nextRefillAt),
    nextExpiry: nextExpiry(current),
  };
}

export function creditsWithGrants(pool: Pool, now: number, unstored = NONE): CreditsWithGrants {
  const grants = openGrants(poolAt(pool, now, unstored));
  return { ...creditsRecord(pool, now, unstored), grants: grants.map(grantRecord) };
}

function grantRecord(grant: Grant) {
  const { id, amount, remaining, source, expiresAt, note, createdAt } = grant;
  const times = { expiresAt: isoTimeOrNull(expiresAt), createdAt: isoTime(createdAt) };
  return { id, amount, remaining, source, note, ...times };
}

const refillRecord = ({ amount, interval, timezone, anchor }: NonNullable<Pool['refill']>) => ({
  ...{ amount, interval, timezone },
  ...(anchor !== null && { anchor: isoTime(anchor) }),
});

function nextExpiry(pool: Pool): Credits['nextExpiry'] {
  const ends = openGrants(pool).filter(({ expiresAt }) => expiresAt !== null);
  const at = ends[0]?.expiresAt ?? null;
  if (at === null) return null;
  const first = ends.filter(({ expiresAt }) => expiresAt === at);
  return { amount: sumOf(first, ({ remaining }) => remaining), at: isoTime(at) };
}

/** The credits in a row. Does what is due at `now`; by default, nothing is. */
export function creditsOf(row: CreditsColumns, now = 0, unstored = NONE): Credits | null {
  if (row.credits_balance === null) return null;
  const pool: Pool = {
    ...{ entries: [], blocks: [], startingBalance: null, noticed: 0 },
    ...stateOf(row, row.credits_balance),
    refill: refillOf(row),
    nextRefillAt: row.next_refill_at,
  };
  return creditsRecord(withBalanceOf(pool, row.credits_balance), now, unstored);
}
