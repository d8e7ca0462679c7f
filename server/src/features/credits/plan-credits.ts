import {
  type Context,
  EMPTY_POOL,
  granted,
  type NewGrant,
  type Pool,
  type Refill,
  withStartingBalance,
} from '@keyward/rules/credits/pool.ts';
import { withRefill } from '@keyward/rules/credits/time.ts';
import { type Kysely, sql } from 'kysely';
import type { Database, Tx } from '../../storage/index.ts';
import type { PoolOwner } from './pool-owner.ts';
import type { StoredPool } from './pool-row.ts';

/** The credits that a plan gives to a pool. `interval` null: it gives them only once. */
export interface PlanCredits {
  readonly amount: number;
  readonly interval: Refill['interval'] | null;
}

/**
 * Applies the current plan of the owner to a pool that a plan has opened. This is done when a refill is due,
 * and whenever the pool has no refills. A pool without refills gets those of the plan, from the first
 * interval after `changedAt`. They are stored when the pool is next used, so the first refill may already be
 * overdue. If the plan gives no credits, the pool stays as it is.
 */
export async function followPlan(
  db: Kysely<Database>,
  pool: StoredPool,
  owner: PoolOwner,
  now: number,
): Promise<StoredPool> {
  const isWaiting = pool.nextRefillAt !== null && pool.nextRefillAt > now;
  if (pool.planId === null || isWaiting) return pool;
  const plan = await planOfOwner(db, owner, pool.planId);
  if (plan === null) return pool;
  const following = { ...pool, planId: plan.id, refill: refillOfPlan(plan) };
  if (pool.nextRefillAt !== null || following.refill === null) return following;
  const since = Math.min(plan.changedAt, now);
  return { ...withRefill(following, following.refill, since), hasNewRefills: true };
}

/** A new pool, as the plan of the owner opens it, not stored yet; null if the plan opens none. */
export async function openedByPlan(
  tx: Tx,
  owner: PoolOwner,
  context: Context,
): Promise<StoredPool | null> {
  if (owner.ownerType === 'key') {
    const { rows } = await newestKey<{ custom_account_id: string | null }>(
      owner,
      'custom_account_id',
    ).execute(tx);
    // The plan of a key with a customer opens a pool for the customer.
    if (rows[0]?.custom_account_id != null) return null;
  }
  const plan = await planOfOwner(tx, owner, null);
  return plan && poolOfPlan(plan, context);
}

const newestKey = <Row>({ owner }: PoolOwner, column: string) => sql<Row>`
  select ${sql.ref(column)} from api_keys
  where id = ${owner} or (limit_group = ${owner} and limit_group <> id)
  order by id desc limit 1`;

interface PlanOfOwner extends PlanCredits {
  readonly id: string;
  /** The last change of the plan, the owner, the pool, or the project if the plan is its default. */
  readonly changedAt: number;
}

/**
 * The plan of a customer, or of a key and its rotations; null if it gives no credits. `openedBy`, the plan
 * that opened the pool, still applies in two cases: to a customer without a plan of its own, while one of its
 * keys has that plan; and to any owner without a plan, if the project has no default plan.
 */
async function planOfOwner(
  db: Kysely<Database>,
  pool: PoolOwner,
  openedBy: string | null,
): Promise<PlanOfOwner | null> {
  const { accountId, projectId, ownerType, owner } = pool;
  const assigned =
    ownerType === 'customer'
      ? sql`(select plan_id from customers where project_id = ${projectId} and custom_account_id = ${owner}),
          (select plan_id from api_keys
            where account_id = ${accountId} and custom_account_id = ${owner} and plan_id = ${openedBy}
            limit 1)`
      : sql`(${newestKey(pool, 'plan_id')})`;
  const ownerChangedAt =
    ownerType === 'customer'
      ? sql`select updated_at from customers where project_id = ${projectId} and custom_account_id = ${owner}`
      : newestKey(pool, 'updated_at');
  const { rows } = await sql<PlanRow>`
    select plans.id, plans.credits, plans.updated_at as plan_changed_at,
      (${ownerChangedAt}) as owner_changed_at,
      (select updated_at from projects where id = ${projectId} and default_plan_id = plans.id)
        as project_changed_at,
      (select updated_at from credit_pools
        where project_id = ${projectId} and owner_type = ${ownerType} and owner = ${owner})
        as pool_changed_at
    from plans
    where plans.credits is not null and plans.id = coalesce(
      ${assigned}, (select default_plan_id from projects where id = ${projectId}), ${openedBy})`.execute(
    db,
  );
  const [row] = rows;
  if (row === undefined) return null;
  const { id, credits, ...times } = row;
  return { id, ...JSON.parse(credits), changedAt: Math.max(...Object.values(times).map(Number)) };
}

interface PlanRow {
  readonly id: string;
  readonly credits: string;
  readonly plan_changed_at: number;
  readonly owner_changed_at: number | null;
  readonly project_changed_at: number | null;
  /** When the row of the pool was last written. Every such write applies the plan first. */
  readonly pool_changed_at: number | null;
}

const refillOfPlan = ({ amount, interval }: PlanCredits): Refill | null =>
  interval === null ? null : { amount, interval, timezone: 'UTC', anchor: null };

/** A pool that a plan opens: with its first refill, or a bonus if it gives credits only once. */
export const poolOfPlan = (
  { id, amount, interval }: PlanCredits & { readonly id: string },
  context: Context,
): StoredPool => ({
  ...openedWith(amount, refillOfPlan({ amount, interval }), 'bonus', context),
  planId: id,
});

/** A new pool. `source`: of its credits, unless it has refills. */
export function openedWith(
  amount: number,
  refill: Refill | null,
  source: 'purchase' | 'bonus',
  context: Context,
): Pool {
  const pool = withRefill(EMPTY_POOL, refill, context.now);
  const grant = {
    amount,
    source: refill === null ? source : 'refill',
    expiresAt: pool.nextRefillAt,
  };
  return withStartingBalance(granted(pool, grant as NewGrant, context));
}
