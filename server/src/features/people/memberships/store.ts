import {
  type Kysely,
  type RawBuilder,
  type Selectable,
  type SqlBool,
  sql,
  type Updateable,
} from 'kysely';
import {
  ROLE_SCOPES,
  type Role,
  type Tenant,
  type UserPrincipal,
} from '../../../kernel/authority.ts';
import type { RowRange } from '../../../kernel/paging.ts';
import type { Database, Tx } from '../../../storage/index.ts';
import type { MembershipsTable } from '../../../storage/schema/people.ts';

export type MembershipRow = Selectable<MembershipsTable> & { role: Role };

export const findMembership = (
  db: Kysely<Database>,
  accountId: string,
  userId: string,
): Promise<MembershipRow | undefined> =>
  db
    .selectFrom('memberships')
    .selectAll()
    .$narrowType<{ role: Role }>()
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .executeTakeFirst();

/** A person's accounts, oldest first. */
export const membershipsOf = (
  db: Kysely<Database>,
  userId: string,
): Promise<(MembershipRow & { account_name: string })[]> =>
  db
    .selectFrom('memberships')
    .innerJoin('accounts', 'accounts.id', 'memberships.account_id')
    .selectAll('memberships')
    .select('accounts.name as account_name')
    .$narrowType<{ role: Role }>()
    .where('memberships.user_id', '=', userId)
    .orderBy('memberships.account_id')
    .limit(ACCOUNTS_MAX)
    .execute();

/** Limits the size of a response. */
const ACCOUNTS_MAX = 1000;

export interface Membership {
  readonly userId: string;
  readonly accountId: string;
  readonly role: Role;
  readonly projectIds: readonly string[] | null;
}

export const insertMembership = (tx: Tx, membership: Membership, now: number) =>
  tx
    .insertInto('memberships')
    .values({
      account_id: membership.accountId,
      user_id: membership.userId,
      role: membership.role,
      project_ids: membership.projectIds && JSON.stringify(membership.projectIds),
      created_at: now,
      updated_at: now,
    })
    .execute();

export const projectsIn = (row: { project_ids: string | null }): string[] | null =>
  row.project_ids === null ? null : JSON.parse(row.project_ids);

/**
 * Whether a list of projects, stored as JSON, contains only these. The query removes these ids from the
 * text, and checks that no other id is left.
 */
export function hasOnlyProjects(
  column: 'memberships.project_ids' | 'invitations.project_ids',
  projectIds: readonly string[],
): RawBuilder<SqlBool> {
  const rest = projectIds.reduce<RawBuilder<unknown>>(
    (list, id) => sql`replace(${list}, ${JSON.stringify(id)}, '')`,
    sql.ref(column),
  );
  return sql`${rest} not like '%"%'`;
}

export type TeammateRow = MembershipRow & {
  name: string;
  email: string;
  two_factor_enabled: 0 | 1;
  last_signed_in_at: number | null;
  last_session_at: number | null;
};

/** Newest person first; always includes `ownId`. */
export function listTeammates(
  db: Kysely<Database>,
  selection: { tenant: Tenant; ownId: string; projectId: string | undefined },
  { after, offset, size }: RowRange<string>,
): Promise<TeammateRow[]> {
  const { tenant, ownId, projectId } = selection;
  let query = db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .selectAll('memberships')
    .select([
      'users.name',
      'users.email',
      'users.two_factor_enabled',
      'users.last_sign_in_at as last_signed_in_at',
    ])
    // Older versions of Keyward did not set `last_sign_in_at`: for their sign-ins, the newest session counts.
    .select((eb) =>
      eb
        .selectFrom('sessions')
        .whereRef('sessions.user_id', '=', 'users.id')
        .select(({ fn }) => fn.max('sessions.created_at').as('at'))
        .as('last_session_at'),
    )
    .$narrowType<{ role: Role }>()
    .where('memberships.account_id', '=', tenant.accountId);
  const { projectIds } = tenant;
  if (projectIds !== null)
    query = query.where((eb) =>
      eb.or([
        eb('memberships.user_id', '=', ownId),
        hasOnlyProjects('memberships.project_ids', projectIds),
      ]),
    );
  // The id of an existing project is safe in a pattern.
  if (projectId !== undefined)
    query = query.where((eb) =>
      eb.or([
        eb('memberships.project_ids', 'is', null),
        eb('memberships.project_ids', 'like', `%"${projectId}"%`),
      ]),
    );
  if (after !== null) query = query.where('memberships.user_id', '<', after);
  return query.orderBy('memberships.user_id', 'desc').limit(size).offset(offset).execute();
}

/**
 * Serializes changes to the members of an account, so that two owners who leave at the same time cannot both
 * succeed. An update without effect locks the row on either engine.
 */
export const lockMembers = (tx: Tx, accountId: string) =>
  tx
    .updateTable('accounts')
    .set((eb) => ({ updated_at: eb.ref('updated_at') }))
    .where('id', '=', accountId)
    .execute();

export async function hasOtherOwner(tx: Tx, row: MembershipRow): Promise<boolean> {
  const other = await tx
    .selectFrom('memberships')
    .select('user_id')
    .where('account_id', '=', row.account_id)
    .where('user_id', '!=', row.user_id)
    .where('role', '=', 'owner')
    .where('project_ids', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}

export const updateMembership = (
  tx: Tx,
  row: MembershipRow,
  change: Updateable<MembershipsTable>,
) =>
  tx
    .updateTable('memberships')
    .set(change)
    .where('account_id', '=', row.account_id)
    .where('user_id', '=', row.user_id)
    .execute();

export const deleteMembership = (tx: Tx, row: MembershipRow) =>
  tx
    .deleteFrom('memberships')
    .where('account_id', '=', row.account_id)
    .where('user_id', '=', row.user_id)
    .execute();

/** The principal of a person with a role. */
export const principalOf = (row: MembershipRow, sessionId: string): UserPrincipal => ({
  kind: 'user',
  id: row.user_id,
  sessionId,
  accountId: row.account_id,
  projectIds: projectsIn(row),
  role: row.role,
  scopes: new Set(ROLE_SCOPES[row.role]),
});

/** The current rights of a person in an account, signed in or not; null without a role in it. */
export async function memberPrincipal(
  db: Kysely<Database>,
  userId: string,
  accountId: string,
): Promise<UserPrincipal | null> {
  const row = await findMembership(db, accountId, userId);
  return row === undefined ? null : principalOf(row, '');
}
