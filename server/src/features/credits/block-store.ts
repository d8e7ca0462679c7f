import { type Kysely, sql } from 'kysely';
import { chunksOf, type Database, lockForUpdate, type Tx } from '../../storage/index.ts';
import type { Block } from './pool.ts';
import { ownerColumns, type PoolOwner, poolName } from './pool-owner.ts';

export const readBlocks = (db: Kysely<Database>, owner: PoolOwner): Promise<Block[]> =>
  db
    .selectFrom('credit_blocks')
    .select(['node', 'number', 'amount', 'spent', 'ends_at as endsAt'])
    .where((eb) => eb.and(ownerColumns(owner)))
    .orderBy('node')
    .execute();

/** Writes the difference between two states of the blocks of a pool. */
export async function writeBlocks(
  tx: Tx,
  owner: PoolOwner,
  before: readonly Block[],
  after: readonly Block[],
): Promise<void> {
  const nodes = new Set(after.map(({ node }) => node));
  const gone = before.flatMap(({ node }) => (nodes.has(node) ? [] : node));
  const changed = after.filter((block) => !before.includes(block));
  await Promise.all([
    gone.length > 0 &&
      tx
        .deleteFrom('credit_blocks')
        .where((eb) => eb.and(ownerColumns(owner)))
        .where('node', 'in', gone)
        .execute(),
    ...changed.map((block) => writeBlock(tx, owner, block)),
  ]);
}

function writeBlock(tx: Tx, owner: PoolOwner, block: Block): Promise<unknown> {
  const { node, number, amount, spent, endsAt: ends_at } = block;
  return tx
    .insertInto('credit_blocks')
    .values({ ...ownerColumns(owner), node, number, amount, spent, ends_at })
    .onConflict((conflict) =>
      conflict
        .columns(['project_id', 'owner_type', 'owner', 'node'])
        .doUpdateSet({ number, amount, spent, ends_at }),
    )
    .execute();
}

/** What a node has spent of its block of a pool, to be stored. */
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

type OwnerColumns = ReturnType<typeof ownerColumns>;

const nameOfRow = ({ project_id, owner_type, owner }: OwnerColumns): string =>
  poolName({ projectId: project_id, ownerType: owner_type, owner });

/** Stores what a node has spent of its blocks. Returns the names of the pools whose block still exists. */
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
 * Returns blocks of a node to their pools. `uses`: what the node has spent of each block. Skips blocks that
 * no longer exist. Returns the names of the pools whose block was returned.
 */
export async function returnBlocks(
  tx: Tx,
  node: string,
  uses: readonly BlockUse[],
): Promise<ReadonlySet<string>> {
  const returned = new Set<string>();
  for (const chunk of chunksOf(uses)) {
    // Every node locks the pools in the same order, to avoid deadlocks.
    const pools = tx
      .selectFrom('credit_pools')
      .select('owner')
      .where(isOfPools(chunk))
      .orderBy('project_id')
      .orderBy('owner_type')
      .orderBy('owner');
    await lockForUpdate(tx, pools, 'credit_pools');
    const written = await writeSpent(tx, node, chunk);
    const existing = chunk.filter(({ owner }) => written.has(poolName(owner)));
    for (const name of written) returned.add(name);
    if (existing.length > 0) await giveBack(tx, node, existing);
  }
  return returned;
}

/** Deletes the blocks and adds their unspent credits to the pools, less what the pools owe. */
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
