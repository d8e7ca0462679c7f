import type { Kysely, Selectable } from 'kysely';
import type { Role } from '../../../kernel/authority.ts';
import type { Database, Tx } from '../../../storage/index.ts';
import type { MembershipsTable } from '../../../storage/schema.ts';

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

/** More than anybody belongs to; an answer has an end. */
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
