import type { Insertable, Kysely, Selectable, Updateable } from 'kysely';
import type { Role, Tenant } from '../../../kernel/authority.ts';
import { isIdOf } from '../../../kernel/ids.ts';
import type { RowRange } from '../../../kernel/paging.ts';
import { type Database, forUpdate, type Storage, type Tx } from '../../../storage/index.ts';
import type { InvitationsTable } from '../../../storage/schema/people.ts';
import { hasOnlyProjects } from '../memberships/store.ts';
import type { ListInvitations } from './schema.ts';

export type InvitationRow = Selectable<InvitationsTable> & { role: Role };

export type InfoRow = Pick<InvitationRow, 'role' | 'status' | 'expires_at'> & {
  account_name: string;
  inviter_name: string | null;
  person_name: string | null;
};

const invitationRows = (db: Kysely<Database>, tenant: Tenant) => {
  const query = db
    .selectFrom('invitations')
    .selectAll()
    .$narrowType<{ role: Role }>()
    .where('account_id', '=', tenant.accountId);
  // A caller limited to projects sees an invitation only if all of its projects are among these.
  return tenant.projectIds === null
    ? query
    : query.where(hasOnlyProjects('invitations.project_ids', tenant.projectIds));
};

export const findInvitation = (
  db: Kysely<Database>,
  tenant: Tenant,
  id: string,
): Promise<InvitationRow | undefined> =>
  forUpdate(db, invitationRows(db, tenant).where('id', '=', id), 'invitations').executeTakeFirst();

/** For the holder of the link. */
export const invitationByToken = (
  db: Kysely<Database>,
  id: string,
  tokenHash: string,
): Promise<InvitationRow | undefined> =>
  db
    .selectFrom('invitations')
    .selectAll()
    .$narrowType<{ role: Role }>()
    .where('id', '=', id)
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst();

/** Without a tenant: an invited person has only the id before accepting. */
export const findInfo = (db: Kysely<Database>, id: string): Promise<InfoRow | undefined> =>
  db
    .selectFrom('invitations')
    .innerJoin('accounts', 'accounts.id', 'invitations.account_id')
    .leftJoin('access_keys', 'access_keys.id', 'invitations.invited_by')
    .leftJoin('users', 'users.id', 'invitations.invited_by')
    .select([
      'invitations.role',
      'invitations.status',
      'invitations.expires_at',
      'accounts.name as account_name',
      'access_keys.name as inviter_name',
      'users.name as person_name',
    ])
    .$narrowType<{ role: Role }>()
    .where('invitations.id', '=', id)
    .executeTakeFirst();

export async function listInvitations(
  storage: Storage,
  tenant: Tenant,
  filter: ListInvitations,
  now: number,
  { after, offset, size }: RowRange<string>,
): Promise<InvitationRow[]> {
  let query = invitationRows(storage.read, tenant);
  if (filter.projectId !== undefined) {
    if (!isIdOf('prj', filter.projectId)) return [];
    // Safe as a pattern: the only wildcard in an id is the `_` after `prj`, which matches itself.
    query = query.where('project_ids', 'like', `%"${filter.projectId}"%`);
  }
  if (filter.status === 'pending')
    query = query.where('status', '=', 'pending').where('expires_at', '>', now);
  else if (filter.status === 'expired')
    query = query.where('status', '=', 'pending').where('expires_at', '<=', now);
  else if (filter.status !== undefined) query = query.where('status', '=', filter.status);
  if (after !== null) query = query.where('id', '<', after);
  return query.orderBy('id', 'desc').limit(size).offset(offset).execute();
}

/** Pending invitations to these addresses that the inviter can see. A new invitation replaces them. */
export const pendingFor = (
  tx: Tx,
  tenant: Tenant,
  emails: readonly string[],
  now: number,
): Promise<InvitationRow[]> =>
  forUpdate(
    tx,
    invitationRows(tx, tenant)
      .where('email', 'in', emails)
      .where('status', '=', 'pending')
      .where('expires_at', '>', now),
    'invitations',
  ).execute();

export const insertInvitations = (tx: Tx, rows: Insertable<InvitationsTable>[]) =>
  tx.insertInto('invitations').values(rows).execute();

export const updateInvitation = (tx: Tx, id: string, change: Updateable<InvitationsTable>) =>
  tx.updateTable('invitations').set(change).where('id', '=', id).execute();
