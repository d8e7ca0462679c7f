import {
  type Draw,
  isLease,
  type LeaseDraw,
  MARGIN_MS,
  withBlock,
  withoutLease,
} from '@keyward/rules/credits/blocks.ts';
import { type Block, type Context, firstExpiry, type Pool } from '@keyward/rules/credits/pool.ts';
import { broughtUpToDate } from '@keyward/rules/credits/time.ts';
import type { Change, ChangeBus } from '../../cluster/change-bus/change-bus.ts';
import type { Tx } from '../../storage/index.ts';
import { customerGroup } from '../policies/index.ts';
import type { CreditPool, HeldBlock } from './held-block.ts';
import { poolOfPlan } from './plan-credits.ts';
import type { PoolOwner } from './pool-owner.ts';
import type { StoredPool } from './pool-row.ts';
import { insertPool, keysOfGroup, readPool, writePool } from './store.ts';

/** A block ends after this time, unless it is extended. */
export const BLOCK_LIFE_MS = 10_000;
/** A lease ends after this time at the latest. Credits that were not returned by then count as spent. */
const LEASE_LIFE_MS = 30_000;

/** A client's request to lease credits. `drawBlock` adds the end of the lease. */
export type LeaseRequest = Omit<LeaseDraw, 'endsAt'>;

interface BlockDraw extends Omit<Draw, 'now' | 'endsAt' | 'lease'> {
  /** Credits that the node gives back from its block. */
  readonly surplus: number;
  readonly lease: LeaseRequest | null;
}

export interface Drawn {
  readonly pool: StoredPool;
  readonly block: Block;
  /** False: an existing block was extended. */
  readonly isNew: boolean;
  /** `spent` of the held block when the transaction read it. */
  readonly spentAtRead: number;
  readonly now: number;
  /** If the transaction has opened the pool: cache invalidations to publish after the commit. */
  readonly invalidations: readonly Change[];
}

/** Draws or extends the block of a node, in a transaction. Null: the pool does not exist. */
export async function drawBlock(
  tx: Tx,
  bus: ChangeBus,
  held: HeldBlock,
  { surplus, lease, ...wanted }: BlockDraw,
  context: Context,
): Promise<Drawn | null> {
  const { now } = context;
  const { pool: owner } = held;
  const existing = await readPool(tx, owner, now);
  const stored = existing ?? (await openPool(tx, owner, context));
  if (stored === null) return null;
  const invalidations = existing === null ? await invalidationsOf(tx, owner) : [];
  if (invalidations.length > 0) await bus.announce(tx, invalidations);
  const before = broughtUpToDate(stored, context, wanted.node);
  const changesAt = changeOf(before);
  const { spent: spentAtRead, holding } = held;
  const draw = {
    ...wanted,
    now,
    // Used up to the moment of the change: what is not spent by then expires, or stays in the pool.
    endsAt: Math.min(now + BLOCK_LIFE_MS, changesAt + MARGIN_MS),
    lease: lease && { ...lease, endsAt: Math.min(now + LEASE_LIFE_MS, changesAt) },
  };
  const { pool, block, isNew } = withBlock(before, draw, holding, surplus);
  await writePool(tx, owner, stored, pool, now);
  return { pool, block, isNew, spentAtRead, now, invalidations };
}

/** When a pool next changes by itself: a grant expires, or a refill happens. */
export const changeOf = (pool: Pool): number =>
  Math.min(firstExpiry(pool), pool.nextRefillAt ?? Number.POSITIVE_INFINITY);

/**
 * A new pool invalidates the cached keys that it pays for: all keys of the customer, or all keys of the
 * rotation group. Some of them may have been cached without a pool, because they have another plan. A group of
 * one key needs no invalidation: that key opened the pool.
 */
async function invalidationsOf(tx: Tx, pool: PoolOwner): Promise<readonly Change[]> {
  const { accountId, projectId, ownerType, owner } = pool;
  if (ownerType === 'customer')
    return [{ kind: 'customer', group: customerGroup(projectId, owner), accountId, projectId }];
  const keys = await keysOfGroup(tx, owner);
  if (keys.length < 2) return [];
  return keys.map(({ id, hash }) => ({ kind: 'api-key', id, hash, accountId, projectId }));
}

/**
 * Opens the pool of a plan at its first use. Then reads the pool, because another node may have opened it
 * first, or the owner may have another plan by now.
 */
async function openPool(tx: Tx, pool: CreditPool, context: Context): Promise<StoredPool | null> {
  if (pool.plan === null) return null;
  const { now } = context;
  await insertPool(tx, pool, poolOfPlan(pool.plan, context), now);
  return readPool(tx, pool, now);
}

/** Ends a lease and returns its unused credits. Null: the lease has ended already, or there is no pool. */
export async function endLease(
  tx: Tx,
  owner: PoolOwner,
  { id, unused }: { readonly id: string; readonly unused: number },
  now: number,
): Promise<{ readonly pool: StoredPool; readonly returned: number } | null> {
  const before = await readPool(tx, owner, now);
  const lease = before?.blocks.find((block) => block.node === id && isLease(block));
  if (before == null || lease === undefined || lease.endsAt <= now) return null;
  const pool = withoutLease(before, id, unused, now);
  await writePool(tx, owner, before, pool, now);
  return { pool, returned: Math.min(unused, lease.amount) };
}
