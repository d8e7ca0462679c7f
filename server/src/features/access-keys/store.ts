import { type Kysely, type Selectable, sql } from 'kysely';
import type { AccessKeyPrincipal } from '../../kernel/authority.ts';
import type { RowRange } from '../../kernel/paging.ts';
import {
  type Database,
  forUpdate,
  preparedQuery,
  type Storage,
  type Tx,
} from '../../storage/index.ts';
import type { AccessKeysTable } from '../../storage/schema/keys.ts';
import type { ListAccessKeys } from './schema.ts';

export type AccessKeyRow = Selectable<AccessKeysTable>;

/** The access keys that a caller may see. `accountId` null: all, for the operator. */
export interface AccessKeyTenant {
  readonly accountId: string | null;
  readonly projectIds: readonly string[] | null;
}

const rows = (db: Kysely<Database>, tenant: AccessKeyTenant) => {
  let query = db.selectFrom('access_keys').selectAll();
  if (tenant.accountId !== null) query = query.where('account_id', '=', tenant.accountId);
  if (tenant.projectIds !== null) query = query.where('project_id', 'in', tenant.projectIds);
  return query;
};

export const findAccessKey = (
  db: Kysely<Database>,
  tenant: AccessKeyTenant,
  reference: { id: string } | { hash: string },
): Promise<AccessKeyRow | undefined> => {
  const found =
    'id' in reference
      ? rows(db, tenant).where('id', '=', reference.id)
      : rows(db, tenant).where('hash', '=', reference.hash);
  return forUpdate(db, found, 'access_keys').executeTakeFirst();
};

export function listAccessKeyRows(
  storage: Storage,
  tenant: AccessKeyTenant,
  filter: ListAccessKeys,
  { after, offset, size }: RowRange<string>,
): Promise<AccessKeyRow[]> {
  let query = rows(storage.read, tenant).orderBy('id', 'desc').limit(size).offset(offset);
  if (filter.projectId !== undefined)
    query =
      filter.projectId === 'null'
        ? query.where('project_id', 'is', null)
        : query.where('project_id', '=', filter.projectId);
  if (filter.isActive !== undefined) query = query.where('is_active', '=', filter.isActive ? 1 : 0);
  if (after !== null) query = query.where('id', '<', after);
  return query.execute();
}

/** An access key, and whether its project is active. */
export type AccessKeyOfProject = AccessKeyRow & { readonly project_is_active: number | null };

const withProjects = (db: Kysely<Database>) =>
  db
    .selectFrom('access_keys')
    .leftJoin('projects', 'projects.id', 'access_keys.project_id')
    .selectAll('access_keys')
    .select('projects.is_active as project_is_active');

const byHash = preparedQuery(['hash'], (db, { hash }) =>
  withProjects(db).where('access_keys.hash', '=', hash).compile(),
);

/** For authentication: an access key of any account. */
export function accessKeyByHash(
  storage: Storage,
): (hash: string) => AccessKeyOfProject | undefined | Promise<AccessKeyOfProject | undefined> {
  return (hash) => {
    const rows = byHash(storage, { hash });
    return rows instanceof Promise ? rows.then(([row]) => row) : rows[0];
  };
}

/** The current rights of an access key; null if it cannot be used. */
export async function accessKeyPrincipal(
  db: Kysely<Database>,
  id: string,
  now: number,
): Promise<AccessKeyPrincipal | null> {
  const row = await withProjects(db).where('access_keys.id', '=', id).executeTakeFirst();
  if (row === undefined || row.is_active === 0 || row.project_is_active === 0) return null;
  if (row.expires_at !== null && row.expires_at <= now) return null;
  return {
    kind: 'access-key',
    id,
    accountId: row.account_id,
    projectIds: row.project_id === null ? null : [row.project_id],
    scopes: new Set(JSON.parse(row.scopes)),
  };
}

/** Makes the successor of a rotated access key the owner of its webhooks. */
export const handOverWebhooks = (tx: Tx, old: AccessKeyRow, newId: string) =>
  tx
    .updateTable('webhooks')
    .set({ set_by: sql`replace(set_by, ${old.id}, ${newId})` })
    .where('account_id', '=', old.account_id)
    .where('set_by', 'like', `%${old.id}%`)
    .execute();
