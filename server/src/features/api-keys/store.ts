import type { Kysely, Selectable, Updateable } from 'kysely';
import type { Tenant } from '../../kernel/authority.ts';
import {
  type Database,
  forUpdate,
  preparedQuery,
  type Storage,
  type Tx,
} from '../../storage/index.ts';
import type { ApiKeysTable } from '../../storage/schema.ts';

/** A key, joined with its project and its usage. */
export type KeyRow = Selectable<ApiKeysTable> & {
  env: 'live' | 'test';
  key_prefix: string | null;
  project_is_active: 0 | 1;
  first_used_at: number | null;
  last_used_at: number | null;
};

export type KeyReference = { readonly id: string } | { readonly hash: string };

const joinedRows = (db: Kysely<Database>) =>
  db
    .selectFrom('api_keys')
    .innerJoin('projects', 'projects.id', 'api_keys.project_id')
    .leftJoin('key_usage', 'key_usage.key_seq', 'api_keys.seq')
    .selectAll('api_keys')
    .select([
      'projects.env',
      'projects.key_prefix',
      'projects.is_active as project_is_active',
      'key_usage.first_used_at',
      'key_usage.last_used_at',
    ]);

export const keyRows = (db: Kysely<Database>, tenant: Tenant) => {
  const query = joinedRows(db).where('api_keys.account_id', '=', tenant.accountId);
  return tenant.projectIds === null
    ? query
    : query.where('api_keys.project_id', 'in', tenant.projectIds);
};

export function findKey(
  db: Kysely<Database>,
  tenant: Tenant,
  reference: KeyReference,
): Promise<KeyRow | undefined> {
  const query = keyRows(db, tenant);
  const found =
    'id' in reference
      ? query.where('api_keys.id', '=', reference.id)
      : query.where('api_keys.hash', '=', reference.hash);
  return forUpdate(db, found, 'api_keys').executeTakeFirst();
}

const keyOfAccountByHash = preparedQuery(['accountId', 'hash'], (db, { accountId, hash }) =>
  keyRows(db, { accountId, projectIds: null }).where('api_keys.hash', '=', hash).compile(),
);

/** A key by its hash, for validations. */
export function keyByHash(
  storage: Storage,
): (accountId: string, hash: string) => KeyRow | undefined | Promise<KeyRow | undefined> {
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
export const keysBySeq = (tx: Tx, seqs: readonly number[]): Promise<KeyRow[]> =>
  joinedRows(tx).where('api_keys.seq', 'in', seqs).execute();

/** The rate-limit window of each key, by id, without keys that the tenant may not see. */
export async function limitGroups(
  db: Kysely<Database>,
  tenant: Tenant,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await ownKeys(db, tenant, ids).select(['id', 'limit_group']).execute();
  return new Map(rows.map((row) => [row.id, row.limit_group]));
}

/** The columns that usage reports need, without keys that the tenant may not see. */
export const keysOfReport = (db: Kysely<Database>, tenant: Tenant, ids: readonly string[]) =>
  ownKeys(db, tenant, ids)
    .leftJoin('key_usage', 'key_usage.key_seq', 'api_keys.seq')
    .select(['api_keys.seq', 'id', 'project_id', 'first_used_at'])
    .execute();

function ownKeys(db: Kysely<Database>, { accountId, projectIds }: Tenant, ids: readonly string[]) {
  const query = db
    .selectFrom('api_keys')
    .where('account_id', '=', accountId)
    .where('id', 'in', ids);
  return projectIds === null ? query : query.where('project_id', 'in', projectIds);
}
