import { isDeepStrictEqual } from 'node:util';
import { type Block, dayOf } from '@keyward/rules/credits/pool.ts';
import { type Kysely, type Selectable, sql } from 'kysely';
import { chunksOf, type Database, forUpdate, type Tx } from '../../storage/index.ts';
import type { CreditPoolsTable } from '../../storage/schema/credits.ts';
import { ownerColumns, type PoolOwner, poolName } from './pool-owner.ts';

const blockRows = (db: Kysely<Database>) =>
  db
    .selectFrom('credit_blocks')
    .select(['node', 'number', 'amount', 'spent', 'ends_at as endsAt'])
    .select(['booked', 'day', 'spent_before as spentBefore']);

export const readBlocks = (db: Kysely<Database>, owner: PoolOwner): Promise<Block[]> =>
  blockRows(db)
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
  const old = new Map(before.map((block) => [block.node, block]));
  await Promise.all([
    gone.length > 0 &&
      tx
        .deleteFrom('credit_blocks')
        .where((eb) => eb.and(ownerColumns(owner)))
        .where('node', 'in', gone)
        .execute(),
    ...changed.map((block) =>
      isOnlyBooked(old.get(block.node), block)
        ? writeBooked(tx, owner, block)
        : writeBlock(tx, owner, block),
    ),
  ]);
}

const isOnlyBooked = (old: Block | undefined, block: Block): boolean =>
  old !== undefined && isDeepStrictEqual({ ...old, booked: block.booked }, block);

/** Of a block of another node, which may store what it has spent at the same time. */
const writeBooked = (tx: Tx, owner: PoolOwner, { node, booked }: Block): Promise<unknown> =>
  tx
    .updateTable('credit_blocks')
    .set({ booked })
    .where((eb) => eb.and(ownerColumns(owner)))
    .where('node', '=', node)
    .execute();

function writeBlock(tx: Tx, owner: PoolOwner, block: Block): Promise<unknown> {
  const { node, endsAt: ends_at, spentBefore: spent_before, ...rest } = block;
  const set = { ...rest, ends_at, spent_before };
  return tx
    .insertInto('credit_blocks')
    .values({ ...ownerColumns(owner), node, ...set })
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'owner_type', 'owner', 'node']).doUpdateSet(set),
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

type PoolRow = Selectable<CreditPoolsTable>;

type OwnerColumns = ReturnType<typeof ownerColumns>;

const nameOfRow = ({ project_id, owner_type, owner }: OwnerColumns): string =>
  poolName({ projectId: project_id, ownerType: owner_type, owner });

/** Stores what a node has spent of its blocks. Returns the names of the pools whose block still exists. */
export async function writeSpent(
  tx: Tx,
  node: string,
  uses: readonly BlockUse[],
  now: number,
): Promise<ReadonlySet<string>> {
  const today = dayOf(now);
  const written = new Set<string>();
  for (const chunk of chunksOf(uses)) {
    const { rows } = await sql<OwnerColumns>`
      with uses (project_id, owner_type, owner, number, spent) as (values ${usesTable(chunk)})
      update credit_blocks set
        spent_before = case when day < ${today} then credit_blocks.spent else spent_before end,
        day = ${today},
        spent = uses.spent
      from uses
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

const isOfPools = (owners: readonly PoolOwner[]) =>
  sql<boolean>`(project_id, owner_type, owner) in (values ${sql.join(
    owners.map((of) => sql`(${of.projectId}, ${of.ownerType}, ${of.owner})`),
  )})`;

/** The rows of some pools and of their blocks, by name. Every node locks pools in this order: no deadlocks. */
export async function readPools(
  tx: Tx,
  uses: readonly BlockUse[],
): Promise<{ rows: Map<string, PoolRow>; blocks: Map<string, Block[]> }> {
  const owners = uses.map(({ owner }) => owner);
  const pools = tx
    .selectFrom('credit_pools')
    .selectAll()
    .where(isOfPools(owners))
    .orderBy('project_id')
    .orderBy('owner_type')
    .orderBy('owner');
  const locked = await forUpdate(tx, pools, 'credit_pools').execute();
  const blocks = await blockRows(tx)
    .select(['project_id', 'owner_type', 'owner'])
    .where(isOfPools(owners))
    .execute();
  return {
    rows: new Map(locked.map((row) => [nameOfRow(row), row])),
    blocks: Map.groupBy(blocks, nameOfRow),
  };
}

export async function deleteBlocks(
  tx: Tx,
  node: string,
  owners: readonly PoolOwner[],
): Promise<void> {
  if (owners.length === 0) return;
  await tx.deleteFrom('credit_blocks').where('node', '=', node).where(isOfPools(owners)).execute();
}
