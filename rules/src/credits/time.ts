import { periodAt } from '../calendar.ts';
import { booked, isLease } from './blocks.ts';
import {
  type Block,
  type Context,
  consumed,
  firstExpiry,
  type Grant,
  granted,
  isOpen,
  type Pool,
  type Refill,
  withEntry,
  withStartingBalance,
} from './pool.ts';

/** Use that is recorded later than this after an expiry is deducted from what the pool has then. */
const LATE_MS = 3_600_000;
/** A pool in debt records each missed refill, at most this many at a time. */
const REFILLS_MAX = 10_000;

/** Does what has become due: leases and grants end, and refills happen, each at its time. */
export function broughtUpToDate<P extends Pool>(
  pool: P,
  { now, makeId }: Context,
  node: string | null,
): P {
  let current = withoutEnded(booked(withoutStoppedRefills(pool)), now, node);
  for (let n = 0; n < REFILLS_MAX; n++) {
    const expiry = firstExpiry(current);
    const refillAt = current.nextRefillAt ?? Number.POSITIVE_INFINITY;
    const at = Math.min(expiry, refillAt);
    if (at > now) break;
    current = expired(current, at);
    if (refillAt === at) current = refilled(current, at, { now, makeId });
  }
  return forgotten(current, now);
}

function expired<P extends Pool>(pool: P, at: number): P {
  const ends = (grant: Grant) => isOpen(grant) && grant.expiresAt !== null && grant.expiresAt <= at;
  let after = pool;
  for (const { id, remaining, expiresAt } of pool.grants.filter(ends))
    after = withEntry(after, 'expired', remaining, { at: expiresAt!, ref: id });
  const grants = pool.grants.map((grant) => (ends(grant) ? { ...grant, isExpired: true } : grant));
  return { ...after, grants };
}

/**
 * The refill that is due at `at`. If later ones are due too, nobody has used the pool meanwhile: what this one
 * gives expires with the last of them, which then refills the pool. In debt, each of them pays.
 */
function refilled<P extends Pool>(pool: P, at: number, { now, makeId }: Context): P {
  const { refill } = pool;
  if (refill === null) return { ...pool, nextRefillAt: null };
  const next = refillAfter(at, refill);
  const paysOff = refill.amount === 0 || pool.overdrawn <= refill.amount;
  const endsAt = paysOff ? Math.max(next, refillBefore(now, refill)) : next;
  const grant = { source: 'refill', amount: refill.amount, expiresAt: endsAt } as const;
  const after = granted(pool, grant, { now: at, makeId });
  return withStartingBalance({ ...after, nextRefillAt: endsAt });
}

/** Ends leases, and the blocks of other nodes. Only `node` itself knows what it has spent of its own. */
function withoutEnded<P extends Pool>(pool: P, now: number, node: string | null): P {
  const hasEnded = (block: Block) => block.node !== node && block.endsAt <= now;
  const ended = pool.blocks.filter(hasEnded);
  if (ended.length === 0) return pool;
  let after: P = { ...pool, blocks: pool.blocks.filter((block) => !hasEnded(block)) };
  // A lease that never reported counts as spent.
  for (const { node: ref, amount, spent, endsAt: usedBy } of ended.filter(isLease))
    after = consumed(after, amount - spent, { usedBy, at: usedBy, ref });
  return after;
}

/** The refills were removed, by a plan, and nobody has used the pool since: what is left stays. */
const withoutStoppedRefills = <P extends Pool>(pool: P): P =>
  pool.refill === null && pool.nextRefillAt !== null
    ? endingAt({ ...pool, nextRefillAt: null }, null)
    : pool;

/** Without the grants that nothing can return to, and no late use can be taken from. */
function forgotten<P extends Pool>(pool: P, now: number): P {
  const isEmpty = ({ remaining }: Grant) => remaining === 0;
  const lastEmpty = pool.grants.findLast((grant) => isEmpty(grant) && !grant.isExpired);
  const isGone = (grant: Grant) =>
    grant.isExpired
      ? isEmpty(grant) || grant.expiresAt! + LATE_MS <= now
      : isEmpty(grant) && grant !== lastEmpty;
  return pool.grants.some(isGone)
    ? { ...pool, grants: pool.grants.filter((grant) => !isGone(grant)) }
    : pool;
}

export const isSameRefill = (a: Refill | null, b: Refill | null): boolean =>
  a?.amount === b?.amount &&
  a?.interval === b?.interval &&
  a?.timezone === b?.timezone &&
  a?.anchor === b?.anchor;

/** Changes the refills, from `since` on. The refill that is open then ends at the next one, or never. */
export function withRefill<P extends Pool>(pool: P, refill: Refill | null, since: number): P {
  const nextRefillAt = refill && refillAfter(since, refill);
  return endingAt({ ...pool, refill, nextRefillAt }, nextRefillAt);
}

/** The open refill ends at this time. */
function endingAt<P extends Pool>(pool: P, expiresAt: number | null): P {
  const isCurrent = (grant: Grant) =>
    isOpen(grant) && grant.source === 'refill' && grant.expiresAt !== null;
  if (!pool.grants.some(isCurrent)) return pool;
  return {
    ...pool,
    grants: pool.grants.map((grant) => (isCurrent(grant) ? { ...grant, expiresAt } : grant)),
  };
}

const refillAfter = (at: number, refill: Refill): number => periodAt(at, refill).end;

/** The last refill until `at`. */
const refillBefore = (at: number, refill: Refill): number => periodAt(at, refill).start;
