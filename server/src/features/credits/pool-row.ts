import { hash } from 'node:crypto';
import {
  balanceOf,
  consumed,
  type Entry,
  type Grant,
  openGrants,
  type Pool,
  sumOf,
  unspent,
} from '@keyward/rules/credits/pool.ts';
import type { Selectable } from 'kysely';
import { BASE32 } from '../../kernel/ids.ts';
import type { CreditPoolsTable } from '../../storage/schema/credits.ts';
import { refillOf } from './columns.ts';
import { type PoolOwner, poolName } from './pool-owner.ts';

/** A pool, and the plan that sets its refills. */
export interface StoredPool extends Pool {
  readonly planId: string | null;
  /** The pool had no refills and has just got those of its plan, which are not in the row yet. */
  readonly hasNewRefills?: boolean;
  /** The row was written before there were grants. */
  readonly isOld?: boolean;
}

/** A purchase or bonus with something left is announced this long before it expires. */
const EXPIRY_NOTICE_MS = 7 * 86_400_000;

/** `credit_pools.grants`. `entries`: those that the pool was created with; the next change stores them. */
export interface PoolState extends Pick<Pool, 'grants' | 'overdrawn'> {
  readonly entries?: readonly Entry[];
}

type PoolRow = Selectable<CreditPoolsTable>;

/** The columns that a list joins to a key or customer. */
export type StateColumns = Pick<PoolRow, 'grants' | 'next_refill_at' | 'refill_interval'>;

/**
 * The grants of a row whose balance is `balance`. A row that was written before there were grants has one: the
 * refill that ends at the next one, or else a purchase.
 */
export function stateOf(
  row: StateColumns,
  balance: number,
  oldGrant: { readonly id: string; readonly createdAt: number } = { id: '', createdAt: 0 },
): PoolState {
  if (row.grants !== null) return JSON.parse(row.grants) as PoolState;
  if (balance <= 0) return { grants: [], overdrawn: Math.abs(balance) };
  const hasRefill = row.refill_interval !== null;
  const grant: Grant = {
    ...{ id: oldGrant.id, source: hasRefill ? 'refill' : 'purchase' },
    ...{ amount: balance, remaining: balance, note: null, createdAt: oldGrant.createdAt },
    expiresAt: hasRefill ? row.next_refill_at : null,
  };
  return { grants: [grant], overdrawn: 0 };
}

export function poolOf(row: PoolRow, owner: PoolOwner, blocks: Pool['blocks']): StoredPool {
  const balance = row.remaining - row.owed + unspent(blocks);
  const isOld = row.grants === null || isStale(JSON.parse(row.grants), balance, blocks);
  const oldGrant = { id: oldGrantId(owner), createdAt: row.created_at };
  return {
    entries: [],
    ...stateOf(isOld ? { ...row, grants: null } : row, balance, oldGrant),
    blocks: isOld ? blocks.map((block) => ({ ...block, booked: block.spent })) : blocks,
    refill: refillOf(row),
    nextRefillAt: row.next_refill_at,
    startingBalance: row.starting_balance,
    noticed: row.noticed,
    planId: row.plan_id,
    isOld,
  };
}

/** An older node has changed a pool that this version has created, while both run side by side. */
const isStale = (state: PoolState, balance: number, blocks: Pool['blocks']): boolean =>
  state.entries !== undefined &&
  balanceOf(state) - sumOf(blocks, ({ spent, booked }) => spent - booked) !== balance;

/**
 * The pool with this balance: what was spent of its blocks is deducted. It is not known which grants have
 * expired since.
 */
export function withBalanceOf<P extends Pool>(pool: P, balance: number): P {
  const spent = balanceOf(pool) - balance;
  return consumed(pool, spent, { usedBy: Number.POSITIVE_INFINITY, at: 0 });
}

/** The same on every node and at every reading, until the row is written in the new form. */
function oldGrantId(owner: PoolOwner): string {
  const bytes = hash('sha256', poolName(owner), 'buffer');
  const [first, ...rest] = [...bytes.subarray(0, 26)];
  return `gr_${BASE32[first! % 8]}${rest.map((byte) => BASE32[byte % 32]).join('')}`;
}

/** `usesGrants` false: a node that knows no grants may read the row. */
export function columnsOf(pool: StoredPool, usesGrants: boolean) {
  const { refill, nextRefillAt, planId, startingBalance, noticed, grants, overdrawn, blocks } =
    pool;
  const open = sumOf(openGrants(pool), ({ remaining }) => remaining);
  const free = open - overdrawn - unspent(blocks);
  return {
    remaining: Math.max(0, free),
    owed: Math.max(0, -free),
    grants: usesGrants ? JSON.stringify({ grants, overdrawn } satisfies PoolState) : null,
    refill_amount: refill?.amount ?? null,
    refill_interval: refill?.interval ?? null,
    refill_timezone: refill?.timezone ?? null,
    refill_anchor: refill?.anchor ?? null,
    next_refill_at: nextRefillAt,
    plan_id: planId,
    starting_balance: startingBalance,
    noticed,
    expiry_notice_at: usesGrants ? expiryNoticeAt(grants) : null,
  };
}

type Columns = ReturnType<typeof columnsOf>;

const ALL: Readonly<Record<keyof Columns, true>> = {
  remaining: true,
  owed: true,
  grants: true,
  refill_amount: true,
  refill_interval: true,
  refill_timezone: true,
  refill_anchor: true,
  next_refill_at: true,
  plan_id: true,
  starting_balance: true,
  noticed: true,
  expiry_notice_at: true,
};
export const COLUMNS = Object.keys(ALL) as (keyof Columns)[];

/** What was bought or given is announced, unless it was made with less time than that. */
const isToBeAnnounced = (grant: Grant): boolean =>
  !grant.isAnnounced &&
  !grant.isExpired &&
  grant.remaining > 0 &&
  (grant.source === 'purchase' || grant.source === 'bonus') &&
  grant.expiresAt !== null &&
  grant.expiresAt - EXPIRY_NOTICE_MS > grant.createdAt;

function expiryNoticeAt(grants: readonly Grant[]): number | null {
  const due = grants.filter(isToBeAnnounced).map(({ expiresAt }) => expiresAt! - EXPIRY_NOTICE_MS);
  return due.length === 0 ? null : Math.min(...due);
}
