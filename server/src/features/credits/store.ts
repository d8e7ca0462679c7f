import type { Insertable, Kysely, Selectable } from 'kysely';
import { type Database, forUpdate, type Tx } from '../../storage/index.ts';
import type { CreditPoolsTable } from '../../storage/schema/credits.ts';
import { readBlocks, writeBlocks } from './block-store.ts';
import { creditsBalance, refillOf } from './columns.ts';
import { followPlan } from './plan-credits.ts';
import { type Block, type StoredPool, withBalance } from './pool.ts';
import { ownerColumns, type PoolOwner } from './pool-owner.ts';

/** The keys of a rotation group: they share rate-limit windows and credits. */
export const keysOfGroup = (tx: Tx, group: string) =>
  tx
    .selectFrom('api_keys')
    .select(['id', 'hash'])
    .where(({ or, and, eb, ref }) =>
      or([
        eb('id', '=', group),
        // Repeats the condition of the partial index on rotated keys, so that the index is used.
        and([eb('limit_group', '=', group), eb('limit_group', '<>', ref('id'))]),
      ]),
    )
    .execute();

type PoolRow = Selectable<CreditPoolsTable>;

const poolRows = (db: Kysely<Database>, owner: PoolOwner) =>
  db
    .selectFrom('credit_pools as own_pool')
    .selectAll('own_pool')
    .where('account_id', '=', owner.accountId)
    .where((eb) => eb.and(ownerColumns(owner)));

/** In a transaction, locks the pool until the transaction ends. */
export async function readPool(
  db: Kysely<Database>,
  owner: PoolOwner,
  now: number,
): Promise<StoredPool | null> {
  const row = await forUpdate(db, poolRows(db, owner), 'own_pool').executeTakeFirst();
  if (row === undefined) return null;
  return followPlan(db, poolOf(row, await readBlocks(db, owner)), owner, now);
}

/** The result has no blocks: its `remaining` includes their unspent credits, read in the same query. */
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
  owner: PoolOwner,
  pool: StoredPool,
  now: number,
): Insertable<CreditPoolsTable> => ({
  ...ownerColumns(owner),
  account_id: owner.accountId,
  ...columnsOf(pool),
  created_at: now,
  updated_at: now,
});

/** False: the pool exists already, because another node has just created it. */
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
  const isChanged = before.hasNewRefills || names.some((name) => old[name] !== columns[name]);
  await Promise.all([
    isChanged &&
      tx
        .updateTable('credit_pools')
        .set({ ...columns, updated_at: now })
        .where((eb) => eb.and(ownerColumns(owner)))
        .execute(),
    writeBlocks(tx, owner, before.blocks, after.blocks),
  ]);
}

/** Also deletes the blocks that other nodes still hold. */
export async function deletePool(tx: Tx, owner: PoolOwner): Promise<void> {
  for (const table of ['credit_blocks', 'credit_pools'] as const)
    await tx
      .deleteFrom(table)
      .where((eb) => eb.and(ownerColumns(owner)))
      .execute();
}
