/** The largest number of credits in a pool. */
export const CREDITS_MAX = 1_000_000_000_000;
/** Grants with something left that a pool may have, besides the current refill. */
export const GRANTS_MAX = 100;

const DAY_MS = 86_400_000;

/** What a grant was made for, and how the statement counts it. */
export const COUNTED_AS = {
  refill: 'refilled',
  purchase: 'purchased',
  bonus: 'bonus',
  adjustment: 'adjusted',
} as const;
export type GrantSource = keyof typeof COUNTED_AS;

/**
 * A number of credits that were added together.
 *
 *   open ──the last credit is spent or taken──▶ empty ──the next one is empty──▶ gone
 *   open ──`expiresAt`──▶ expired ──an hour──▶ gone
 *
 * What returns to the pool goes back to an empty grant, which is open then. Use that is recorded after the expiry,
 * but happened before it, is taken from an expired grant.
 */
export interface Grant {
  readonly id: string;
  readonly source: GrantSource;
  readonly amount: number;
  /** What is not recorded as spent. Of an expired grant: what the statement counts as expired. */
  readonly remaining: number;
  readonly expiresAt: number | null;
  readonly note: string | null;
  readonly createdAt: number;
  readonly isExpired?: boolean;
  /** Its expiry was announced. */
  readonly isAnnounced?: boolean;
}

/** A day's line in the statement of a pool. */
export interface Entry {
  /** Days since 1970, in UTC. */
  readonly day: number;
  readonly kind: EntryKind;
  /** The grant, the adjustment, or the lease that never reported. Empty: all other use of the day. */
  readonly ref: string;
  readonly amount: number;
  readonly note: string | null;
}
export type EntryKind = (typeof COUNTED_AS)[GrantSource] | 'expired' | 'consumed';

/** Credits lent to a node or a client, which spends them without asking. They still belong to the pool. */
export interface Block {
  /** The name of the node, or the id of the lease. */
  readonly node: string;
  /** Distinguishes this block from earlier ones of the same node. */
  readonly number: number;
  readonly amount: number;
  /** As the node last recorded it. */
  readonly spent: number;
  readonly endsAt: number;
  /** The part of `spent` that was deducted from grants. */
  readonly booked: number;
  /** The day of the last use, and what was spent before it. */
  readonly day: number;
  readonly spentBefore: number;
}

export interface Refill {
  readonly amount: number;
  readonly interval: 'hour' | 'day' | 'week' | 'month';
  readonly timezone: string;
  /** From which the intervals are counted. Null: from the start of the calendar's. */
  readonly anchor: number | null;
}

/**
 * The credits of a key or a customer: what was granted and not spent, less the debt. The functions of this
 * folder are pure. Those that change a pool return a copy, and add to `entries` what they change in the
 * balance, so that the statement always adds up.
 */
export interface Pool {
  /** In the order in which they are spent: the first to expire, then the oldest. */
  readonly grants: readonly Grant[];
  readonly blocks: readonly Block[];
  /** Spent beyond all grants. Then the pool is in debt, and no open grant has anything left. */
  readonly overdrawn: number;
  readonly refill: Refill | null;
  readonly nextRefillAt: number | null;
  /** Entries of the statement that are not stored yet. */
  readonly entries: readonly Entry[];
  /** The balance when credits were last set, added or refilled; null: not known. */
  readonly startingBalance: number | null;
  /** The last notice since then. 0: none; 1: few left; 2: none left. */
  readonly noticed: number;
}

/** What the functions need besides the pool. */
export interface Context {
  readonly now: number;
  readonly makeId: () => string;
}

export const EMPTY_POOL: Pool = {
  grants: [],
  blocks: [],
  overdrawn: 0,
  refill: null,
  nextRefillAt: null,
  entries: [],
  startingBalance: 0,
  noticed: 0,
};

export const dayOf = (ms: number): number => Math.floor(ms / DAY_MS);

export const isOpen = (grant: Grant): boolean => grant.isExpired !== true && grant.remaining > 0;

export const openGrants = ({ grants }: Pick<Pool, 'grants'>): Grant[] => grants.filter(isOpen);

/** All credits of the pool, lent ones included. Negative: a debt. */
export const balanceOf = (pool: Pick<Pool, 'grants' | 'overdrawn'>): number =>
  sumOf(openGrants(pool), ({ remaining }) => remaining) - pool.overdrawn;

export const unspent = (blocks: readonly Block[]): number =>
  sumOf(blocks, ({ amount, spent }) => Math.max(0, amount - spent));

/** When the first open grant expires. */
export const firstExpiry = (pool: Pick<Pool, 'grants'>): number =>
  Math.min(...openGrants(pool).map(({ expiresAt }) => expiresAt ?? Number.POSITIVE_INFINITY));

export const withEntry = <P extends Pool>(
  pool: P,
  kind: EntryKind,
  amount: number,
  { at, ref = '', note = null }: { at: number; ref?: string; note?: string | null },
): P =>
  amount === 0
    ? pool
    : { ...pool, entries: [...pool.entries, { day: dayOf(at), kind, ref, amount, note }] };

export interface NewGrant extends Pick<Grant, 'source' | 'amount' | 'expiresAt'> {
  readonly note?: string | null;
}

/** Adds a grant. It first pays the debt. */
export function granted<P extends Pool>(
  pool: P,
  { source, amount, expiresAt, note = null }: NewGrant,
  { now, makeId }: Context,
): P {
  const paid = Math.min(amount, pool.overdrawn);
  const id = makeId();
  const made = { id, source, amount, remaining: amount - paid, expiresAt, note, createdAt: now };
  const grants = made.remaining === 0 ? pool.grants : [...pool.grants, made].sort(inOrder);
  const after = { ...pool, grants, overdrawn: pool.overdrawn - paid };
  return withEntry(after, COUNTED_AS[source], amount, { at: now, ref: id, note });
}

const inOrder = (a: Grant, b: Grant): number =>
  (a.expiresAt ?? Number.MAX_VALUE) - (b.expiresAt ?? Number.MAX_VALUE) ||
  a.createdAt - b.createdAt;

/** How much each grant gives of `amount`, in order. */
function deducted(
  grants: readonly Grant[],
  amount: number,
  gives: (grant: Grant) => boolean,
): { readonly grants: Grant[]; readonly taken: ReadonlyMap<Grant, number>; readonly rest: number } {
  const taken = new Map<Grant, number>();
  let rest = amount;
  const after = grants.map((grant) => {
    const part = gives(grant) ? Math.min(rest, grant.remaining) : 0;
    if (part === 0) return grant;
    rest -= part;
    taken.set(grant, part);
    return { ...grant, remaining: grant.remaining - part };
  });
  return { grants: after, taken, rest };
}

/**
 * Records use. `usedBy`: the latest moment at which the credits can have been used. What had expired after
 * that moment was spent before it expired: it counts as consumed, no longer as expired.
 */
export function consumed<P extends Pool>(
  pool: P,
  amount: number,
  { usedBy, at, ref = '' }: { usedBy: number; at: number; ref?: string },
): P {
  if (amount === 0) return pool;
  if (amount < 0) return returned(pool, -amount, { at, ref });
  const wasThere = ({ isExpired, expiresAt }: Grant) => !isExpired || expiresAt! >= usedBy;
  const { grants, taken, rest } = deducted(pool.grants, amount, wasThere);
  let after: P = { ...pool, grants, overdrawn: pool.overdrawn + rest };
  for (const [{ id, isExpired, expiresAt }, part] of taken)
    if (isExpired) after = withEntry(after, 'expired', -part, { at: expiresAt!, ref: id });
  return withEntry(after, 'consumed', amount, { at, ref });
}

/**
 * Use that was recorded did not happen. It pays the debt, and goes back to the grants that were spent last, even
 * if they have expired since.
 */
function returned<P extends Pool>(
  pool: P,
  amount: number,
  { at, ref }: { at: number; ref: string },
): P {
  const paid = Math.min(amount, pool.overdrawn);
  let rest = amount - paid;
  const grants = pool.grants
    .toReversed()
    .map((grant) => {
      const part = grant.isExpired ? 0 : Math.min(rest, grant.amount - grant.remaining);
      rest -= part;
      return part === 0 ? grant : { ...grant, remaining: grant.remaining + part };
    })
    .toReversed();
  const after = withEntry(
    { ...pool, grants, overdrawn: pool.overdrawn - paid },
    'consumed',
    -amount,
    {
      ...{ at, ref },
    },
  );
  if (rest === 0) return after;
  // The grant is forgotten: nobody knows any more when its credits were to expire.
  const { id, createdAt } = grants[0] ?? { id: `gr_${at}`, createdAt: at };
  const grant = { id: `${id}+`, source: 'adjustment' as const, amount: rest, remaining: rest };
  const more = { ...grant, expiresAt: null, note: null, createdAt };
  return { ...after, grants: [...grants, more] };
}

/** Takes credits away, in the order of spending or from one grant: at most what is left there. */
export function taken<P extends Pool>(
  pool: P,
  amount: number,
  { now, makeId }: Context,
  { grant, note = null }: { grant?: string; note?: string | null } = {},
): P {
  const gives = (each: Grant) => isOpen(each) && (grant === undefined || each.id === grant);
  const { grants, rest } = deducted(pool.grants, amount, gives);
  const after = { ...pool, grants };
  const adjusted = amount - rest;
  return withEntry(after, 'adjusted', -adjusted, { at: now, ref: makeId(), note });
}

/** Makes the balance `amount`. This also cancels a debt. */
export function balanceSet<P extends Pool>(
  pool: P,
  amount: number,
  context: Context,
  note: string | null = null,
): P {
  const { overdrawn } = pool;
  const ref = overdrawn === 0 ? '' : context.makeId();
  const cleared = withEntry({ ...pool, overdrawn: 0 }, 'adjusted', overdrawn, {
    ...{ at: context.now, ref, note },
  });
  const missing = amount - balanceOf(cleared);
  if (missing <= 0) return taken(cleared, -missing, context, { note });
  return granted(
    cleared,
    { source: 'adjustment', amount: missing, expiresAt: null, note },
    context,
  );
}

/** After credits were set, added or refilled: notices about what is left start again. */
export const withStartingBalance = <P extends Pool>(pool: P): P => ({
  ...pool,
  startingBalance: Math.max(0, balanceOf(pool)),
  noticed: 0,
});

/** A balance of at most this share of `startingBalance` counts as few credits. */
export const LOW_SHARE = 0.2;

/** The balance at which the next notice is due; -1: none is. */
export function noticeAt({
  startingBalance,
  noticed,
}: Pick<Pool, 'startingBalance' | 'noticed'>): number {
  if (startingBalance === null || noticed > 1) return -1;
  return noticed === 1 ? 0 : Math.floor(startingBalance * LOW_SHARE);
}

export function sumOf<T>(all: readonly T[], amount: (each: T) => number): number {
  let sum = 0;
  for (const each of all) sum += amount(each);
  return sum;
}
