import { type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import { chunksOf, type Database, forUpdate, lockForUpdate, type Tx } from '../../storage/index.ts';
import type { CreditPoolsTable } from '../../storage/schema.ts';
import { creditsBalance } from './columns.ts';
import {
  type Block,
  isRefillDue,
  type Pool,
  poolWith,
  type Refill,
  withBalance,
  withRefill,
} from './pool.ts';

/** Whose credits: those of a key and its rotations (`limit_group`), or of a customer (`customAccountId`). */
export interface PoolOwner {
  readonly accountId: string;
  readonly projectId: string;
  readonly ownerType: 'key' | 'customer';
  readonly owner: string;
}

/** What a plan gives to pools. `interval` null: once. */
export interface PlanCredits {
  readonly amount: number;
  readonly interval: Refill['interval'] | null;
}

/** Identifies a pool in memory and in messages; contains no spaces. */
export const poolName = ({ projectId, ownerType, owner }: Omit<PoolOwner, 'accountId'>): string =>
  `${projectId}:${ownerType}:${encodeURIComponent(owner.toWellFormed())}`;

/** The owner that a name identifies; null if it is not the name of a pool. */
export function poolOwner(name: string, accountId: string): PoolOwner | null {
  const [, projectId, ownerType, owner] = /^(prj_\w+):(key|customer):(\S+)$/.exec(name) ?? [];
  if (projectId === undefined || owner === undefined) return null;
  try {
    const isKey = ownerType === 'key';
    return {
      accountId,
      projectId,
      ownerType: isKey ? 'key' : 'customer',
      owner: decodeURIComponent(owner),
    };
  } catch {
    return null;
  }
}

/** The keys that share the rate-limit window and the credits of a key, through rotations. */
export const keysOfGroup = (tx: Tx, group: string) =>
  tx
    .selectFrom('api_keys')
    .select(['id', 'hash'])
    .where(({ or, and, eb, ref }) =>
      or([
        eb('id', '=', group),
        // As in the index of rotated keys.
        and([eb('limit_group', '=', group), eb('limit_group', '<>', ref('id'))]),
      ]),
    )
    .execute();

/** A pool, and the plan that sets its refills. */
export interface StoredPool extends Pool {
  readonly planId: string | null;
  /** The settings for refills have just been read from the plan, and are not in the row yet. */
  readonly isFollowing?: boolean;
}

type PoolRow = Selectable<CreditPoolsTable>;

const poolRows = (db: Kysely<Database>, { accountId, projectId, ownerType, owner }: PoolOwner) =>
  db
    .selectFrom('credit_pools as own_pool')
    .selectAll('own_pool')
    .where('account_id', '=', accountId)
    .where('project_id', '=', projectId)
    .where('owner_type', '=', ownerType)
    .where('owner', '=', owner);

/** In a transaction, the pool is locked until the end. */
export async function readPool(
  db: Kysely<Database>,
  owner: PoolOwner,
  now: number,
): Promise<StoredPool | null> {
  const row = await forUpdate(db, poolRows(db, owner), 'own_pool').executeTakeFirst();
  if (row === undefined) return null;
  const blocks = await db
    .selectFrom('credit_blocks')
    .select(['node', 'number', 'amount', 'spent', 'ends_at as endsAt'])
    .where('project_id', '=', owner.projectId)
    .where('owner_type', '=', owner.ownerType)
    .where('owner', '=', owner.owner)
    .orderBy('node')
    .execute();
  return followPlan(db, poolOf(row, blocks), owner, now);
}

/** Without blocks: `remaining` includes their credits, read in the same query. */
export async function readBalance(
  db: Kysely<Database>,
  owner: PoolOwner,
  now: number,
): Promise<StoredPool | null> {
  const row = await poolRows(db, owner)
    .select(creditsBalance(now).as('balance'))
    .executeTakeFirst();
  if (row === undefined) return null;
  return followPlan(db, withBalance(poolOf(row, []), row.balance!), owner, now);
}

const poolOf = (row: PoolRow, blocks: readonly Block[]): StoredPool => ({
  remaining: row.remaining,
  owed: row.owed,
  refill: refillOf(row),
  nextRefillAt: row.next_refill_at,
  blocks,
  startingBalance: row.starting_balance,
  noticed: row.noticed,
  planId: row.plan_id,
});

const refillOf = (row: PoolRow): Refill | null =>
  row.refill_amount === null || row.refill_interval === null
    ? null
    : {
        amount: row.refill_amount,
        interval: row.refill_interval,
        timezone: row.refill_timezone ?? 'UTC',
      };

/**
 * When a refill is due, it follows the present plan of the owner, if that gives credits. A pool without
 * refills gets those of the plan, from the first interval that began after the plan got them. Nothing is
 * stored until the pool is used, so that time may have passed.
 */
async function followPlan(
  db: Kysely<Database>,
  pool: StoredPool,
  owner: PoolOwner,
  now: number,
): Promise<StoredPool> {
  const isWaiting = pool.nextRefillAt !== null && !isRefillDue(pool, now);
  if (pool.planId === null || isWaiting) return pool;
  const plan = await planOfOwner(db, owner, pool.planId);
  if (plan === null) return pool;
  const following = { ...pool, planId: plan.id, refill: refillOfPlan(plan) };
  if (pool.nextRefillAt !== null || following.refill === null) return following;
  const since = Math.min(plan.changedAt, now);
  return { ...withRefill(following, following.refill, since), isFollowing: true };
}

/** The pool that the plan of the owner opens; null if it opens none. */
export async function openedByPlan(
  tx: Tx,
  owner: PoolOwner,
  now: number,
): Promise<StoredPool | null> {
  if (owner.ownerType === 'key') {
    const { rows } = await newestKey<{ custom_account_id: string | null }>(
      owner,
      'custom_account_id',
    ).execute(tx);
    // The plan of such a key opens a pool for its customer.
    if (rows[0]?.custom_account_id != null) return null;
  }
  const plan = await planOfOwner(tx, owner, null);
  return plan && poolOfPlan(plan, now);
}

const newestKey = <Row>({ owner }: PoolOwner, column: string) => sql<Row>`
  select ${sql.ref(column)} from api_keys
  where id = ${owner} or (limit_group = ${owner} and limit_group <> id)
  order by id desc limit 1`;

interface PlanOfOwner extends PlanCredits {
  readonly id: string;
  /** No earlier than the last change of what the plan gives to the pool. */
  readonly changedAt: number;
}

/**
 * The plan of a customer, or of a key and its rotations, if it gives credits. `openedBy`: the plan that
 * opened the pool, which a key of the customer may have.
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
  /** Whatever writes a pool lets it follow its plan first. */
  readonly pool_changed_at: number | null;
}

const refillOfPlan = ({ amount, interval }: PlanCredits): Refill | null =>
  interval === null ? null : { amount, interval, timezone: 'UTC' };

/** A pool that a plan opens. */
export const poolOfPlan = (
  { id, amount, interval }: PlanCredits & { readonly id: string },
  now: number,
): StoredPool => {
  return { ...withRefill(poolWith(amount), refillOfPlan({ amount, interval }), now), planId: id };
};

const columnsOf = (pool: StoredPool) => {
  const { remaining, owed, refill, nextRefillAt, planId, startingBalance, noticed } = pool;
  return {
    remaining,
    owed,
    refill_amount: refill?.amount ?? null,
    refill_interval: refill?.interval ?? null,
    refill_timezone: refill?.timezone ?? null,
    next_refill_at: nextRefillAt,
    plan_id: planId,
    starting_balance: startingBalance,
    noticed,
  };
};

export const newPoolRow = (
  { accountId, projectId, ownerType, owner }: PoolOwner,
  pool: StoredPool,
  now: number,
): Insertable<CreditPoolsTable> => ({
  project_id: projectId,
  owner_type: ownerType,
  owner,
  account_id: accountId,
  ...columnsOf(pool),
  created_at: now,
  updated_at: now,
});

/** False if another node has just created it. */
export async function insertPool(
  tx: Tx,
  owner: PoolOwner,
  pool: StoredPool,
  now: number,
): Promise<boolean> {
  const inserted = await tx
    .insertInto('credit_pools')
    .values(newPoolRow(owner, pool, now))
    .onConflict((conflict) => conflict.columns(['project_id', 'owner_type', 'owner']).doNothing())
    .returning('owner')
    .execute();
  return inserted.length > 0;
}

/** Writes the difference between two states of a pool. */
export async function writePool(
  tx: Tx,
  owner: PoolOwner,
  before: StoredPool,
  after: StoredPool,
  now: number,
): Promise<void> {
  const [old, columns] = [columnsOf(before), columnsOf(after)];
  const names = Object.keys(columns) as (keyof typeof columns)[];
  const writes: Promise<unknown>[] = [];
  if (before.isFollowing || names.some((name) => old[name] !== columns[name]))
    writes.push(
      tx
        .updateTable('credit_pools')
        .set({ ...columns, updated_at: now })
        .where('project_id', '=', owner.projectId)
        .where('owner_type', '=', owner.ownerType)
        .where('owner', '=', owner.owner)
        .execute(),
    );
  const gone = before.blocks.filter(({ node }) => !after.blocks.some((each) => each.node === node));
  if (gone.length > 0)
    writes.push(
      tx
        .deleteFrom('credit_blocks')
        .where('project_id', '=', owner.projectId)
        .where('owner_type', '=', owner.ownerType)
        .where('owner', '=', owner.owner)
        .where(
          'node',
          'in',
          gone.map(({ node }) => node),
        )
        .execute(),
    );
  for (const block of after.blocks)
    if (!before.blocks.includes(block)) writes.push(writeBlock(tx, owner, block));
  await Promise.all(writes);
}

function writeBlock(tx: Tx, owner: PoolOwner, block: Block): Promise<unknown> {
  const { node, number, amount, spent, endsAt: ends_at } = block;
  const { projectId: project_id, ownerType: owner_type, owner: name } = owner;
  return tx
    .insertInto('credit_blocks')
    .values({ project_id, owner_type, owner: name, node, number, amount, spent, ends_at })
    .onConflict((conflict) =>
      conflict
        .columns(['project_id', 'owner_type', 'owner', 'node'])
        .doUpdateSet({ number, amount, spent, ends_at }),
    )
    .execute();
}

/** Also deletes the blocks that other nodes still hold. */
export async function deletePool(tx: Tx, owner: PoolOwner): Promise<void> {
  for (const table of ['credit_blocks', 'credit_pools'] as const)
    await tx
      .deleteFrom(table)
      .where('project_id', '=', owner.projectId)
      .where('owner_type', '=', owner.ownerType)
      .where('owner', '=', owner.owner)
      .execute();
}

/** Use of a block, to be written. */
export interface BlockUse {
  readonly owner: PoolOwner;
  /** Number of the block. */
  readonly number: number;
  readonly spent: number;
}

const usesTable = (uses: readonly BlockUse[]) =>
  sql.join(
    uses.map(
      ({ owner, number, spent }) =>
        sql`(cast(${owner.projectId} as text), cast(${owner.ownerType} as text), cast(${owner.owner} as text), cast(${number} as bigint), cast(${spent} as bigint))`,
    ),
  );

interface OwnerColumns {
  project_id: string;
  owner_type: 'key' | 'customer';
  owner: string;
}

const nameOfRow = ({ project_id, owner_type, owner }: OwnerColumns): string =>
  poolName({ projectId: project_id, ownerType: owner_type, owner });

/** Returns the names of the pools whose block still exists. */
export async function writeSpent(
  tx: Tx,
  node: string,
  uses: readonly BlockUse[],
): Promise<ReadonlySet<string>> {
  const written = new Set<string>();
  for (const chunk of chunksOf(uses)) {
    const { rows } = await sql<OwnerColumns>`
      with uses (project_id, owner_type, owner, number, spent) as (values ${usesTable(chunk)})
      update credit_blocks set spent = uses.spent from uses
      where credit_blocks.project_id = uses.project_id
        and credit_blocks.owner_type = uses.owner_type
        and credit_blocks.owner = uses.owner
        and credit_blocks.node = ${node}
        and credit_blocks.number = uses.number
      returning credit_blocks.project_id, credit_blocks.owner_type, credit_blocks.owner`.execute(
      tx,
    );
    for (const row of rows) written.add(nameOfRow(row));
  }
  return written;
}

const isOfPools = (uses: readonly BlockUse[]) =>
  sql<boolean>`(project_id, owner_type, owner) in (values ${sql.join(
    uses.map(({ owner }) => sql`(${owner.projectId}, ${owner.ownerType}, ${owner.owner})`),
  )})`;

/**
 * Returns blocks to their pools. `uses` have what was spent of each block as its node knows it. Blocks
 * that no longer exist are left out; the result has the names of the pools of the others.
 */
export async function returnBlocks(
  tx: Tx,
  node: string,
  uses: readonly BlockUse[],
): Promise<ReadonlySet<string>> {
  const returned = new Set<string>();
  for (const chunk of chunksOf(uses)) {
    // In one order, so that nodes do not wait for each other in a circle.
    const pools = tx
      .selectFrom('credit_pools')
      .select('owner')
      .where(isOfPools(chunk))
      .orderBy('project_id')
      .orderBy('owner_type')
      .orderBy('owner');
    await lockForUpdate(tx, pools, 'credit_pools');
    const written = await writeSpent(tx, node, chunk);
    const left = chunk.filter(({ owner }) => written.has(poolName(owner)));
    for (const name of written) returned.add(name);
    if (left.length > 0) await giveBack(tx, node, left);
  }
  return returned;
}

/** What is owed is deducted first. */
async function giveBack(tx: Tx, node: string, uses: readonly BlockUse[]): Promise<void> {
  const rest = sql`credit_pools.remaining - credit_pools.owed + blocks.amount - blocks.spent`;
  const isOwn = sql`node = ${node} and ${isOfPools(uses)}`;
  await sql`
    with blocks as (select * from credit_blocks where ${isOwn})
    update credit_pools set
      remaining = case when ${rest} > 0 then ${rest} else 0 end,
      owed = case when ${rest} < 0 then -(${rest}) else 0 end
    from blocks
    where credit_pools.project_id = blocks.project_id
      and credit_pools.owner_type = blocks.owner_type
      and credit_pools.owner = blocks.owner`.execute(tx);
  await sql`delete from credit_blocks where ${isOwn}`.execute(tx);
}
