import {
  type Block,
  balanceOf,
  consumed,
  dayOf,
  isOpen,
  type Pool,
  sumOf,
  unspent,
} from './pool.ts';

/** A node stops using a block this long before the block ends, because clocks may differ. */
export const MARGIN_MS = 2_000;
/** A lease is at most 1/20 of the balance, unless the request needs more. */
const LEASE_DIVISOR = 20;
const DAY_MS = 86_400_000;

export const isLease = ({ node }: Pick<Block, 'node'>): boolean => node.startsWith('lse_');

/** The last moment at which the credits of a block are used. No block lives on when a grant expires. */
const usableUntil = (block: Pick<Block, 'node' | 'endsAt'>): number =>
  isLease(block) ? block.endsAt : block.endsAt - MARGIN_MS;

/** Deducts from the grants what was recorded as spent of the blocks. */
export function booked<P extends Pool>(pool: P): P {
  let after = pool;
  for (const block of pool.blocks)
    if (block.spent !== block.booked) {
      const usedBy = usableUntil(block);
      const earlier = Math.max(0, block.spentBefore - block.booked);
      after = consumed(after, earlier, { usedBy, at: (block.day - 1) * DAY_MS });
      const rest = block.spent - block.booked - earlier;
      after = consumed(after, rest, { usedBy, at: block.day * DAY_MS });
    }
  if (after === pool) return pool;
  const blocks = pool.blocks.map((block) =>
    block.spent === block.booked ? block : { ...block, booked: block.spent },
  );
  return { ...after, blocks };
}

/** The use of a block up to now, as its holder reports it. */
const reported = (block: Block, spent: number, now: number): Block => {
  const today = dayOf(now);
  const spentBefore = block.day === today ? block.spentBefore : block.spent;
  return { ...block, spent, day: today, spentBefore };
};

/** Credits that can be lent or taken: what no block has. */
export function freeCredits(pool: Pool, now: number): number {
  const ended = pool.blocks.filter((block) => usableUntil(block) <= now);
  const running = pool.blocks.filter((block) => usableUntil(block) > now);
  // What an ended block has spent, and not recorded yet, is deducted first from what has expired since.
  const usedBy = Math.max(...ended.map(usableUntil));
  const covered = pool.grants.filter((grant) => grant.isExpired && grant.expiresAt! >= usedBy);
  const late = Math.max(0, unspent(ended) - sumOf(covered, ({ remaining }) => remaining));
  const open = sumOf(pool.grants.filter(isOpen), ({ remaining }) => remaining);
  return Math.max(0, open - late - unspent(running));
}

/** The balance, without what a node has of it. */
export const balanceElsewhere = (pool: Pool, node: string): number =>
  balanceOf(pool) - unspent(pool.blocks.filter((block) => block.node === node));

/** A client's request to lease credits. */
export interface LeaseDraw {
  readonly id: string;
  readonly wanted: number;
  /** If fewer are left, nothing is leased. */
  readonly needed: number;
  readonly endsAt: number;
}

/** Lends to a client, if at least `needed` credits are left. */
function withLease<P extends Pool>(
  pool: P,
  { id, wanted, needed, endsAt }: LeaseDraw,
  now: number,
): P {
  const part = Math.ceil(Math.max(0, balanceOf(pool)) / LEASE_DIVISOR);
  const amount = Math.min(freeCredits(pool, now), wanted, Math.max(needed, part));
  if (amount <= 0 || amount < needed) return pool;
  return { ...pool, blocks: [...pool.blocks, newBlock(id, 0, amount, endsAt, now)] };
}

const newBlock = (
  node: string,
  number: number,
  amount: number,
  endsAt: number,
  now: number,
): Block => ({
  ...{ node, number, amount, endsAt, spent: 0, booked: 0 },
  ...{ day: dayOf(now), spentBefore: 0 },
});

/** Ends a lease: what was not used stays in the pool. */
export function withoutLease<P extends Pool>(pool: P, id: string, unused: number, now: number): P {
  const lease = pool.blocks.find(({ node }) => node === id);
  if (lease === undefined) return pool;
  const blocks = pool.blocks.filter((block) => block !== lease);
  const used = lease.amount - Math.min(unused, lease.amount);
  return consumed({ ...pool, blocks }, used, { usedBy: usableUntil(lease), at: now });
}

/** What a node knows about its own block. */
export interface Holding {
  readonly number: number;
  /** Including what is not stored yet. */
  readonly spent: number;
  readonly storedSpent: number;
  /** As long as the node uses the block. */
  readonly usableUntil: number;
}

/** Ends the block of a node, and records what the node has spent. `holding` null: it knows of no block. */
export function withoutOwnBlock<P extends Pool>(
  stored: P,
  node: string,
  holding: Holding | null,
  now: number,
): P {
  // What was recorded before belongs to the day on which it was recorded.
  const pool = booked(stored);
  const own = pool.blocks.find((block) => block.node === node);
  const isKnown = own !== undefined && own.number === holding?.number;
  let after = pool;
  if (own !== undefined) {
    const ended = isKnown ? reported(own, holding.spent, now) : own;
    const blocks = pool.blocks.map((block) => (block === own ? ended : block));
    after = booked({ ...pool, blocks });
    after = { ...after, blocks: after.blocks.filter((block) => block.node !== node) };
  }
  // Another node has ended the block that this node has. What this node had not recorded is deducted now.
  if (holding !== null && !isKnown)
    after = consumed(after, holding.spent - holding.storedSpent, {
      ...{ usedBy: holding.usableUntil, at: now },
    });
  return after;
}

export interface Draw {
  readonly node: string;
  /** Number of the block, if it is new. */
  readonly number: number;
  /** Credits that the block should have. */
  readonly wanted: number;
  /** Credits that the block must have, if that many are left, even if `share` is less. */
  readonly needed: number;
  /** The share of the free credits that may be lent. */
  readonly share: number;
  readonly now: number;
  readonly endsAt: number;
  /** Lent to a client before the node gets something itself. */
  readonly lease: LeaseDraw | null;
}

/**
 * Lends to a node, or extends its block. An existing block keeps its number and its `spent`, because the node
 * may go on spending meanwhile. `surplus`: credits of the block that the node does not need any more.
 */
export function withBlock<P extends Pool>(
  stored: P,
  draw: Draw,
  holding: Holding | null,
  surplus: number,
): { readonly pool: P; readonly block: Block; readonly isNew: boolean } {
  const { node, number, wanted, needed, share, now, endsAt, lease } = draw;
  const pool = booked(stored);
  const own = pool.blocks.find((block) => block.node === node);
  // A block that has ended is settled: a grant may have expired that it was lent from.
  const isKept = own !== undefined && own.number === holding?.number && now < holding.usableUntil;
  const settled = isKept
    ? booked(replaced(pool, { ...reported(own, holding.spent, now), endsAt }))
    : withoutOwnBlock(pool, node, holding, now);
  const given = isKept ? own.amount - surplus : 0;
  const kept = isKept
    ? { ...settled.blocks.find((block) => block.node === node)!, amount: given }
    : newBlock(node, number, 0, endsAt, now);
  const rest = isKept ? replaced(settled, kept) : settled;
  const before = lease === null ? rest : withLease(rest, lease, now);
  const free = freeCredits(before, now);
  const held = kept.amount - kept.spent;
  const most = Math.max(needed - held, Math.min(wanted - held, Math.ceil(free * share)));
  const drawn = Math.max(0, Math.min(free, most));
  const block = { ...kept, amount: kept.amount + drawn };
  // A block without credits needs no row.
  const after = block.amount === 0 ? before : replaced(before, block);
  return { pool: after, block, isNew: !isKept };
}

const replaced = <P extends Pool>(pool: P, block: Block): P => ({
  ...pool,
  blocks: [...pool.blocks.filter(({ node }) => node !== block.node), block],
});
