import {
  type Kysely,
  type RawBuilder,
  type Selectable,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
  type Updateable,
} from 'kysely';
import type { Tenant } from '../../kernel/authority.ts';
import {
  type Database,
  forUpdate,
  preparedQuery,
  type Storage,
  type Tx,
} from '../../storage/index.ts';
import type { ApiKeysTable } from '../../storage/schema/keys.ts';
import {
  type Credits,
  type CreditsColumns,
  creditsBalance,
  creditsOf,
  REFILL_COLUMNS,
} from '../credits/index.ts';
import type { UpperLevels } from '../policies/index.ts';

/** A key, joined with its project and its usage. */
export type KeyFields = Selectable<ApiKeysTable> & {
  env: 'live' | 'test';
  key_prefix: string | null;
  project_is_active: 0 | 1;
  first_used_at: number | null;
  last_used_at: number | null;
};

/** A key, also joined with its own credits. */
export type KeyRow = KeyFields & CreditsColumns;

/** A key with its own credits as the API shows them. */
export type KeyWithCredits = KeyFields & { readonly credits: Credits | null };

/** A key that is also joined with its plan, its customer and the customer's pool, in the same query. */
export type KeyWithLevels = KeyRow &
  UpperLevels & {
    /** When the first of the keys that were rotated was created; null: it was erased. */
    readonly first_created_at: number | null;
  };

export type KeyReference = { readonly id: string } | { readonly hash: string };

const isKey = (reference: KeyReference) =>
  'id' in reference
    ? sql<SqlBool>`api_keys.id = ${reference.id}`
    : sql<SqlBool>`api_keys.hash = ${reference.hash}`;

/** The keys of a page of a list: `(value, id)`. The cross join makes SQLite look them up in this order. */
const pageRows = (db: Kysely<Database>, page: RawBuilder<unknown>) =>
  db
    .selectFrom(sql<{ value: unknown; id: string }>`(${page})`.as('page'))
    .crossJoin('api_keys')
    .whereRef('api_keys.id', '=', 'page.id') as unknown as KeyTable;

type KeyTable = SelectQueryBuilder<Database, 'api_keys', object>;

const joinedRows = (db: Kysely<Database>, page?: RawBuilder<unknown>) =>
  (page === undefined ? (db.selectFrom('api_keys') as KeyTable) : pageRows(db, page))
    .innerJoin('projects', 'projects.id', 'api_keys.project_id')
    .leftJoin('key_usage', 'key_usage.key_seq', 'api_keys.seq')
    .leftJoin('credit_pools as own_pool', (join) =>
      join
        .onRef('own_pool.project_id', '=', 'api_keys.project_id')
        .on('own_pool.owner_type', '=', sql.lit('key'))
        .onRef('own_pool.owner', '=', 'api_keys.limit_group'),
    )
    .selectAll('api_keys')
    .select(creditsBalance().as('credits_balance'))
    .select(REFILL_COLUMNS)
    .select([
      'projects.env',
      'projects.key_prefix',
      'projects.is_active as project_is_active',
      'key_usage.first_used_at',
      'key_usage.last_used_at',
    ]);

export const keyRows = (db: Kysely<Database>, tenant: Tenant, page?: RawBuilder<unknown>) => {
  let query = joinedRows(db, page).where('api_keys.account_id', '=', tenant.accountId);
  if (tenant.projectIds !== null)
    query = query.where('api_keys.project_id', 'in', tenant.projectIds);
  if (tenant.customAccountId !== undefined)
    query = query.where('api_keys.custom_account_id', '=', tenant.customAccountId);
  return query;
};

export function findKey(
  db: Kysely<Database>,
  tenant: Tenant,
  reference: KeyReference,
): Promise<KeyRow | undefined> {
  const found = keyRows(db, tenant).where(isKey(reference));
  return forUpdate(db, found, 'api_keys').executeTakeFirst();
}

/**
 * Keys of all accounts by their hash. Found account by account, through the index of accounts and
 * hashes: an index of hashes alone would slow down the creation of every key.
 */
export const findKeysOfAnyAccount = (db: Kysely<Database>, hash: string) =>
  db
    .selectFrom('api_keys')
    .select(['id', 'account_id', 'project_id'])
    .where('account_id', 'in', (eb) => eb.selectFrom('accounts').select('accounts.id'))
    .where('hash', '=', hash)
    .execute();

/** The columns of the levels above a key. */
const LEVEL_COLUMNS = [
  'projects.resources as project_resources',
  'plans.id as effective_plan_id',
  'plans.revision as plan_revision',
  'plans.permissions as plan_permissions',
  'plans.limits as plan_limits',
  'plans.allowed_ips as plan_allowed_ips',
  'plans.credits as plan_credits',
  'customers.id as customer_id',
  'customers.revision as customer_revision',
  'customers.plan_id as customer_plan_id',
  'customers.permissions as customer_permissions',
  'customers.limits as customer_limits',
  'customers.allowed_ips as customer_allowed_ips',
  'customers.anchor as customer_anchor',
  'customers.created_at as customer_created_at',
  'customer_pool.owner as customer_pool',
  'projects.notices as project_notices',
  'projects.units as project_units',
] as const;

export const keyRowsWithLevels = (
  db: Kysely<Database>,
  tenant: Tenant,
  page?: RawBuilder<unknown>,
) =>
  keyRows(db, tenant, page)
    .leftJoin('customers', (join) =>
      join
        .onRef('customers.project_id', '=', 'api_keys.project_id')
        .onRef('customers.custom_account_id', '=', 'api_keys.custom_account_id'),
    )
    .leftJoin('plans', (join) =>
      join.on(
        sql`plans.id = coalesce(api_keys.plan_id, customers.plan_id, projects.default_plan_id)`,
      ),
    )
    .leftJoin('credit_pools as customer_pool', (join) =>
      join
        .onRef('customer_pool.project_id', '=', 'api_keys.project_id')
        .on('customer_pool.owner_type', '=', sql.lit('customer'))
        .onRef('customer_pool.owner', '=', 'api_keys.custom_account_id'),
    )
    .select(LEVEL_COLUMNS)
    .select('own_pool.owner as key_pool')
    .select(FIRST_CREATED_AT.as('first_created_at'));

/** Only a rotated key needs another row. */
const FIRST_CREATED_AT = sql<number | null>`case when api_keys.rotated_from is null
  then api_keys.created_at
  else (select first.created_at from api_keys as first where first.id = api_keys.limit_group) end`;

/** What a customer and its plan give to keys that set nothing themselves, and the customer's name. */
export const customerLevels = (
  db: Kysely<Database>,
  projectId: string,
  customAccountId: string,
): Promise<UpperLevels & { customer_name: string | null }> =>
  db
    .selectFrom('projects')
    .leftJoin('customers', (join) =>
      join
        .onRef('customers.project_id', '=', 'projects.id')
        .on('customers.custom_account_id', '=', customAccountId),
    )
    .leftJoin('plans', (join) =>
      join.on(sql`plans.id = coalesce(customers.plan_id, projects.default_plan_id)`),
    )
    .leftJoin('credit_pools as customer_pool', (join) =>
      join
        .onRef('customer_pool.project_id', '=', 'projects.id')
        .on('customer_pool.owner_type', '=', sql.lit('customer'))
        .on('customer_pool.owner', '=', customAccountId),
    )
    .select(LEVEL_COLUMNS)
    .select(['customers.name as customer_name', sql<null>`null`.as('key_pool')])
    .where('projects.id', '=', projectId)
    .executeTakeFirstOrThrow();

export function findKeyWithLevels(
  db: Kysely<Database>,
  tenant: Tenant,
  reference: KeyReference,
): Promise<KeyWithLevels | undefined> {
  return keyRowsWithLevels(db, tenant).where(isKey(reference)).executeTakeFirst();
}

const keyOfAccountByHash = preparedQuery(['accountId', 'hash'], (db, { accountId, hash }) =>
  keyRowsWithLevels(db, { accountId, projectIds: null })
    .where('api_keys.hash', '=', hash)
    .compile(),
);

/** A key by its hash, for validations. */
export function keyByHash(
  storage: Storage,
): (
  accountId: string,
  hash: string,
) => KeyWithLevels | undefined | Promise<KeyWithLevels | undefined> {
  return (accountId, hash) => {
    const rows = keyOfAccountByHash(storage, { accountId, hash });
    return rows instanceof Promise ? rows.then(([row]) => row) : rows[0];
  };
}

export const updateKey = (tx: Tx, id: string, change: Updateable<ApiKeysTable>) =>
  tx.updateTable('api_keys').set(change).where('id', '=', id).execute();

/** Also erases the stored response of an idempotent request, which contains the value. */
export async function eraseKey(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('idempotency').where('resource_id', '=', id).execute();
  await tx.deleteFrom('api_keys').where('id', '=', id).execute();
}

/** Keys of all tenants, for events of the service itself. */
export async function keysBySeq(tx: Tx, seqs: readonly number[]): Promise<KeyWithCredits[]> {
  const rows = await joinedRows(tx).where('api_keys.seq', 'in', seqs).execute();
  return rows.map((row) => ({ ...row, credits: creditsOf(row) }));
}

/** The columns from which the names of a key's counters are built. */
export type CountedKey = Pick<KeyRow, 'seq' | 'limit_group' | 'project_id' | 'custom_account_id'>;

/** A map by id. Keys that the tenant may not see are left out. */
export async function countedKeys(
  db: Kysely<Database>,
  tenant: Tenant,
  ids: readonly string[],
): Promise<ReadonlyMap<string, CountedKey>> {
  const columns = ['id', 'seq', 'limit_group', 'project_id', 'custom_account_id'] as const;
  const rows = await ownKeys(db, tenant, ids).select(columns).execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** The columns that usage reports need, without keys that the tenant may not see. */
export const keysOfReport = (db: Kysely<Database>, tenant: Tenant, ids: readonly string[]) =>
  ownKeys(db, tenant, ids)
    .leftJoin('key_usage', 'key_usage.key_seq', 'api_keys.seq')
    .select(['api_keys.seq', 'id', 'project_id', 'first_used_at'])
    .select((eb) =>
      eb
        .selectFrom('projects')
        .select('projects.resources')
        .whereRef('projects.id', '=', 'api_keys.project_id')
        .as('project_resources'),
    )
    .execute();

/** The number of keys of a customer that are neither revoked nor expired, up to `most`. */
export async function countActiveKeys(
  db: Kysely<Database>,
  { projectId, customAccountId }: { projectId: string; customAccountId: string },
  now: number,
  most: number,
): Promise<number> {
  const rows = await db
    .selectFrom('api_keys')
    .select('id')
    .where('project_id', '=', projectId)
    .where('custom_account_id', '=', customAccountId)
    .where('is_active', '=', 1)
    .where(({ or, eb }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .limit(most)
    .execute();
  return rows.length;
}

function ownKeys(db: Kysely<Database>, { accountId, projectIds }: Tenant, ids: readonly string[]) {
  const query = db
    .selectFrom('api_keys')
    .where('account_id', '=', accountId)
    .where('id', 'in', ids);
  return projectIds === null ? query : query.where('project_id', 'in', projectIds);
}
