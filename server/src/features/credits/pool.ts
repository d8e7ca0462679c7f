import { nextRefill, type RefillInterval } from './calendar.ts';

/** The largest number of credits in a pool. */
export const CREDITS_MAX = 1_000_000_000_000;

export interface Refill {
  readonly amount: number;
  readonly interval: RefillInterval;
  readonly timezone: string;
}

/** Credits that a node, or a client by a lease, may spend until `endsAt`. */
export interface Block {
  /** The name of the node, or the id of the lease. */
  readonly node: string;
  /** Distinguishes this block from earlier blocks of the same node. */
  readonly number: number;
  readonly amount: number;
  readonly spent: number;
  readonly endsAt: number;
}

/** A pool as stored. The functions of this file are pure: those that change a pool return a copy. */
export interface Pool {
  /** Credits that are in no block. */
  readonly remaining: number;
  /** Credits to deduct when blocks are returned or credits are added. */
  readonly owed: number;
  readonly refill: Refill | null;
  readonly nextRefillAt: number | null;
  readonly blocks: readonly Block[];
  /** The balance when credits were last set, added or refilled; null: not known. */
  readonly startingBalance: number | null;
  /** The last notice since credits were last set, added or refilled. 0: none; 1: few left; 2: none left. */
  readonly noticed: number;
}

/** A pool, and the plan that sets its refills. */
export interface StoredPool extends Pool {
  readonly planId: string | null;
  /** The pool had no refills and has just got those of its plan, which are not in the row yet. */
  readonly hasNewRefills?: boolean;
}

/** A new pool without refills. */
export const poolWith = (amount: number): Pool => ({
  remaining: amount,
  owed: 0,
  refill: null,
  nextRefillAt: null,
  blocks: [],
  startingBalance: amount,
  noticed: 0,
});

/** A balance of at most this share of `startingBalance` counts as few credits. */
export const LOW_SHARE = 0.2;

/** After credits were set, added or refilled: notices about what is left start again. */
export const withStartingBalance = <P extends Pool>(pool: P): P => ({
  ...pool,
  startingBalance: Math.max(0, balanceOf(pool)),
  noticed: 0,
});

/** The balance at which the next notice is due; -1: none is. */
export function noticeAt({
  startingBalance,
  noticed,
}: Pick<Pool, 'startingBalance' | 'noticed'>): number {
  if (startingBalance === null || noticed > 1) return -1;
  return noticed === 1 ? 0 : Math.floor(startingBalance * LOW_SHARE);
}

/** A node stops using a block this long before the block ends, because clocks may differ. */
export const MARGIN_MS = 2_000;

/** A lease is at most 1/20 of the balance, unless the request needs more. */
const LEASE_DIVISOR = 20;

export const isLease = ({ node }: Block): boolean => node.startsWith('lse_');

const unspent = (blocks: readonly Block[]): number =>
  blocks.reduce((sum, { amount, spent }) => sum + amount - spent, 0);

/** All credits of the pool. Negative if more was spent than a later `set` allowed. */
export const balanceOf = ({ remaining, owed, blocks }: Pool): number =>
  remaining + unspent(blocks) - owed;

/** The balance without the block of a node. */
export const balanceElsewhere = (pool: Pool, node: string): number =>
  balanceOf(pool) - unspent(pool.blocks.filter((block) => block.node === node));

/** Changes the balance. Blocks cannot be recalled: what they hold in excess is owed. */
export function withBalance<P extends Pool>(pool: P, balance: number): P {
  const free = balance - unspent(pool.blocks);
  return { ...pool, remaining: Math.max(0, free), owed: Math.max(0, -free) };
}

/** Adds credits. A negative number removes credits, at most those that are left. */
export function withAdded<P extends Pool>(pool: P, added: number): P {
  const balance = balanceOf(pool);
  const lowest = Math.min(balance, 0);
  return withBalance(pool, Math.min(CREDITS_MAX, Math.max(lowest, balance + added)));
}

export const withRefill = <P extends Pool>(pool: P, refill: Refill | null, now: number): P => ({
  ...pool,
  refill,
  nextRefillAt: refill && nextRefill(now, refill.interval, refill.timezone),
});

export const isRefillDue = ({ nextRefillAt }: Pick<Pool, 'nextRefillAt'>, now: number): boolean =>
  nextRefillAt !== null && nextRefillAt <= now;

/**
 * Whether the refill that was expected at `expectedAt` has happened: that time has come (within the
 * margin), and `nextRefillAt` has changed. A change of settings also changes it, but usually before that
 * time.
 */
export const isRefilledSince = (
  expectedAt: number | null,
  { nextRefillAt }: Pick<Pool, 'nextRefillAt'>,
  now: number,
): boolean =>
  expectedAt !== null &&
  expectedAt - MARGIN_MS <= now &&
  nextRefillAt !== null &&
  nextRefillAt !== expectedAt;

/**
 * Refills the pool if a refill is due; this ends its blocks. Otherwise returns the blocks that have ended,
 * except the block of `node`: only `node` itself knows what it has spent.
 */
export function broughtUpToDate<P extends Pool>(pool: P, now: number, node: string | null): P {
  if (isRefillDue(pool, now)) {
    if (pool.refill === null) return broughtUpToDate(withoutRefill(pool), now, node);
    // A block with a later end was drawn before the refill was moved to an earlier time. Its node may still
    // spend it, so its credits are deducted, as after a `set`.
    const blocks = pool.blocks.filter(({ endsAt }) => endsAt > now);
    const filled = withBalance({ ...pool, blocks }, pool.refill.amount);
    return withStartingBalance(withRefill(filled, pool.refill, now));
  }
  const hasEnded = (block: Block) => block.node !== node && block.endsAt <= now;
  return withoutBlocks(pool, hasEnded);
}

/**
 * The plan no longer gives refills: the remaining credits stay. Nodes use a block that ends at a refill up
 * to that moment, without a margin. So the margin is added here, before the blocks are returned.
 */
const withoutRefill = <P extends Pool>(pool: P): P => ({
  ...pool,
  nextRefillAt: null,
  blocks: pool.blocks.map((block) => ({ ...block, endsAt: block.endsAt + MARGIN_MS })),
});

/** Returns the unspent credits of some blocks to the pool. Leases among them count as spent. */
function withoutBlocks<P extends Pool>(pool: P, isReturned: (block: Block) => boolean): P {
  const gone = pool.blocks.filter(isReturned);
  if (gone.length === 0) return pool;
  const blocks = pool.blocks.filter((block) => !isReturned(block));
  return withBalance({ ...pool, blocks }, balanceOf(pool) - unspent(gone.filter(isLease)));
}

/** A client's request to lease credits. */
export interface LeaseDraw {
  readonly id: string;
  readonly wanted: number;
  /** If fewer are left, nothing is leased. */
  readonly needed: number;
  readonly endsAt: number;
}

/** Adds a block for the lease, if at least `needed` credits are left. */
function withLease<P extends Pool>(pool: P, { id, wanted, needed, endsAt }: LeaseDraw): P {
  const part = Math.ceil(Math.max(0, balanceOf(pool)) / LEASE_DIVISOR);
  const amount = Math.min(pool.remaining, wanted, Math.max(needed, part));
  if (amount <= 0 || amount < needed) return pool;
  const lease = { node: id, number: 0, amount, spent: 0, endsAt };
  return { ...pool, remaining: pool.remaining - amount, blocks: [...pool.blocks, lease] };
}

/** Ends a lease and returns its unused credits, at most as many as were leased. */
export function withoutLease<P extends Pool>(pool: P, id: string, unused: number): P {
  const lease = pool.blocks.find(({ node }) => node === id);
  if (lease === undefined) return pool;
  const blocks = pool.blocks.filter((block) => block !== lease);
  const used = lease.amount - Math.min(unused, lease.amount);
  return withBalance({ ...pool, blocks }, balanceOf(pool) - used);
}

/** What a node knows about its own block. */
export interface Holding {
  /** Number of the block. */
  readonly number: number;
  /** Including what is not stored yet. */
  readonly spent: number;
  readonly storedSpent: number;
  /** `nextRefillAt` of the pool when the block was drawn. */
  readonly nextRefillAt: number | null;
}

/** Returns the block of a node, and deducts what the node has spent. `holding` null: it knows of no block. */
export function withoutOwnBlock<P extends Pool>(
  pool: P,
  node: string,
  holding: Holding | null,
  now: number,
): P {
  const own = pool.blocks.find((block) => block.node === node);
  const isOwn = (block: Block) => block === own;
  if (holding !== null && own?.number === holding.number)
    return withBalance(withoutBlocks(pool, isOwn), balanceOf(pool) - (holding.spent - own.spent));
  // If the pool has a block of this node, it is from an earlier run, or the response to its draw was lost.
  const rest = withoutBlocks(pool, isOwn);
  // Another node has returned the block that this node held. Its unstored use is deducted, unless the pool
  // was refilled since.
  if (holding === null || isRefilledSince(holding.nextRefillAt, pool, now)) return rest;
  return withBalance(rest, balanceOf(rest) - (holding.spent - holding.storedSpent));
}

export interface Draw {
  readonly node: string;
  /** Number of the block, if it is new. */
  readonly number: number;
  /** Credits that the block should have. */
  readonly wanted: number;
  /** Credits that the block must have, if that many are left, even if `share` is less. */
  readonly needed: number;
  /** The share of the pool's `remaining` that may be drawn. */
  readonly share: number;
  readonly now: number;
  readonly endsAt: number;
  /** Leased before the node draws for itself. */
  readonly lease: LeaseDraw | null;
}

/**
 * Draws or extends the block of a node. An existing block keeps its row and its `spent`, because the node
 * may go on spending meanwhile. `surplus`: credits that the node gives back from the block.
 */
export function withBlock<P extends Pool>(
  pool: P,
  draw: Draw,
  holding: Holding | null,
  surplus: number,
): { readonly pool: P; readonly block: Block; readonly isNew: boolean } {
  const { node, number, wanted, needed, share, now, endsAt, lease } = draw;
  const own = pool.blocks.find((block) => block.node === node);
  const isNew = own === undefined || own.number !== holding?.number;
  const kept: Block = isNew
    ? { node, number, amount: 0, spent: 0, endsAt }
    : { ...own, amount: own.amount - surplus, spent: holding.spent, endsAt };
  const returned = isNew
    ? withoutOwnBlock(pool, node, holding, now)
    : withBalance(
        { ...pool, blocks: replaced(pool.blocks, kept) },
        balanceAfterUse(pool, own, kept),
      );
  const before = lease === null ? returned : withLease(returned, lease);
  const held = kept.amount - kept.spent;
  const most = Math.max(
    needed - held,
    Math.min(wanted - held, Math.ceil(before.remaining * share)),
  );
  const drawn = Math.max(0, Math.min(before.remaining, most));
  const block = { ...kept, amount: kept.amount + drawn };
  // A block without credits needs no row.
  const blocks = block.amount === 0 ? before.blocks : replaced(before.blocks, block);
  return { pool: { ...before, remaining: before.remaining - drawn, blocks }, block, isNew };
}

/** The balance less the use that the node has not stored yet. */
const balanceAfterUse = (pool: Pool, own: Block, kept: Block): number =>
  balanceOf(pool) - (kept.spent - own.spent);

const replaced = (blocks: readonly Block[], block: Block): Block[] => [
  ...blocks.filter(({ node }) => node !== block.node),
  block,
];
