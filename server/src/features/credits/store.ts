import { withoutOwnBlock } from '@keyward/rules/credits/blocks.ts';
import { type Block, balanceOf, withEntry } from '@keyward/rules/credits/pool.ts';
import type { Insertable, Kysely } from 'kysely';
import { areGrantsInUse } from '../../storage/grants-in-use.ts';
import { chunksOf, type Database, executeMany, forUpdate, type Tx } from '../../storage/index.ts';
import type { CreditPoolsTable } from '../../storage/schema/credits.ts';
import { type BlockUse, deleteBlocks, readBlocks, readPools, writeBlocks } from './block-store.ts';
import { creditsBalance } from './columns.ts';
import { writeEntries } from './entry-store.ts';
import { followPlan } from './plan-credits.ts';
import { ownerColumns, type PoolOwner, poolName } from './pool-owner.ts';
import {
  COLUMNS,
  columnsOf,
  type PoolState,
  poolOf,
  type StoredPool,
  withBalanceOf,
} from './pool-row.ts';

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
  return followPlan(db, poolOf(row, owner, await readBlocks(db, owner)), owner, now);
}

/** The result has no blocks: what was spent of them is deducted from the grants. Read in one query. */
export async function readBalance(
  db: Kysely<Database>,
  owner: PoolOwner,
  now: number,
): Promise<StoredPool | null> {
  const row = await poolRows(db, owner)
    .select(creditsBalance(now).as('balance'))
    .executeTakeFirst();
  if (row === undefined) return null;
  const balance = row.balance!;
  const columns = { ...row, remaining: Math.max(0, balance), owed: Math.max(0, -balance) };
  return followPlan(db, withBalanceOf(poolOf(columns, owner, []), balance), owner, now);
}

export const newPoolRow = (
  owner: PoolOwner,
  pool: StoredPool,
  now: number,
): Insertable<CreditPoolsTable> => ({
  ...ownerColumns(owner),
  account_id: owner.accountId,
  ...columnsOf(pool, true),
  // The lines of the statement are stored with the next change, so that a new key needs one row.
  grants: JSON.stringify(stateWithEntries(pool)),
  created_at: now,
  updated_at: now,
});

const stateWithEntries = ({ grants, overdrawn, entries }: StoredPool): PoolState => ({
  ...{ grants, overdrawn, entries },
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

/** In rows that were written before there were grants, nothing is marked as booked. */
const storedBlocks = ({ blocks, isOld }: StoredPool): readonly Block[] =>
  isOld ? blocks.map((block) => ({ ...block, booked: 0 })) : blocks;

const withoutNode = (blocks: readonly Block[], node: string): Block[] =>
  blocks.filter((block) => block.node !== node);

interface ChangedPool {
  readonly owner: PoolOwner;
  readonly before: StoredPool;
  readonly after: StoredPool;
}

/** Writes pools and their new entries, but not their blocks. */
async function writePools(tx: Tx, changed: readonly ChangedPool[], now: number): Promise<void> {
  const isInUse = await areGrantsInUse(tx);
  const rows = changed.map(({ owner, after }) => ({
    ...columnsOf(after, isInUse),
    ...ownerColumns(owner),
  }));
  await executeMany(tx, rows, (row) => {
    const set = COLUMNS.map((column) => [column, row[column]]);
    return tx
      .updateTable('credit_pools')
      .set({ ...Object.fromEntries(set), updated_at: now })
      .where('project_id', '=', row.project_id)
      .where('owner_type', '=', row.owner_type)
      .where('owner', '=', row.owner);
  });
  if (isInUse)
    await writeEntries(
      tx,
      changed.map(({ owner, after: { entries } }) => ({ owner, entries })),
    );
}

/** Writes the difference between two states of a pool, and its new entries. */
export async function writePool(
  tx: Tx,
  owner: PoolOwner,
  before: StoredPool,
  after: StoredPool,
  now: number,
): Promise<void> {
  const [old, columns] = [columnsOf(before, true), columnsOf(after, true)];
  const isChanged = COLUMNS.some((name) => old[name] !== columns[name]);
  if (isChanged || before.hasNewRefills || before.isOld || after.entries.length > 0)
    await writePools(tx, [{ owner, before, after }], now);
  await writeBlocks(tx, owner, storedBlocks(before), after.blocks);
}

/**
 * Ends blocks of a node, whose use is stored. Skips those that no longer exist. Returns the names of the pools
 * whose block has ended.
 */
export async function returnBlocks(
  tx: Tx,
  node: string,
  uses: readonly BlockUse[],
  now: number,
): Promise<ReadonlySet<string>> {
  const returned = new Set<string>();
  for (const chunk of chunksOf(uses)) {
    const { rows, blocks } = await readPools(tx, chunk);
    const changed: ChangedPool[] = [];
    for (const { owner, number, spent } of chunk) {
      const name = poolName(owner);
      const row = rows.get(name);
      const own = blocks.get(name)?.find((block) => block.node === node);
      if (row === undefined || own?.number !== number) continue;
      const before = poolOf(row, owner, blocks.get(name)!);
      const holding = { number, spent, storedSpent: spent, usableUntil: now };
      changed.push({ owner, before, after: withoutOwnBlock(before, node, holding, now) });
      returned.add(name);
    }
    await writePools(tx, changed, now);
    await deleteBlocks(
      tx,
      node,
      changed.map(({ owner }) => owner),
    );
    for (const { owner, before, after } of changed)
      await writeBlocks(tx, owner, withoutNode(storedBlocks(before), node), after.blocks);
  }
  return returned;
}

/** Deletes the pool and the blocks that other nodes still hold. The statement counts it as an adjustment. */
export async function removePool(
  tx: Tx,
  owner: PoolOwner,
  pool: StoredPool,
  now: number,
): Promise<void> {
  const balance = balanceOf(pool);
  const { entries } = withEntry(pool, 'adjusted', -balance, { at: now, ref: `deleted ${now}` });
  if (await areGrantsInUse(tx)) await writeEntries(tx, [{ owner, entries }]);
  await deleteRows(tx, owner, ['credit_blocks', 'credit_pools']);
}

/** Deletes the pool and its statement: its owner is erased. */
export const deletePool = (tx: Tx, owner: PoolOwner): Promise<void> =>
  deleteRows(tx, owner, ['credit_blocks', 'credit_pools', 'credit_entries']);

async function deleteRows(
  tx: Tx,
  owner: PoolOwner,
  tables: readonly ('credit_blocks' | 'credit_pools' | 'credit_entries')[],
): Promise<void> {
  for (const table of tables)
    await tx
      .deleteFrom(table)
      .where((eb) => eb.and(ownerColumns(owner)))
      .execute();
}
