import type { Kysely } from 'kysely';
import { ROLE_SCOPES, type UserPrincipal } from '../../../kernel/authority.ts';
import type { Database } from '../../../storage/index.ts';
import { findMembership, type MembershipRow, projectsIn } from './store.ts';

/** What a role lets a person do. */
export const principalOf = (row: MembershipRow, sessionId: string): UserPrincipal => ({
  kind: 'user',
  id: row.user_id,
  sessionId,
  accountId: row.account_id,
  projectIds: projectsIn(row),
  role: row.role,
  scopes: new Set(ROLE_SCOPES[row.role]),
});

/** What a person may do in an account now, signed in or not; null when they have no role in it. */
export async function memberPrincipal(
  db: Kysely<Database>,
  userId: string,
  accountId: string,
): Promise<UserPrincipal | null> {
  const row = await findMembership(db, accountId, userId);
  return row === undefined ? null : principalOf(row, '');
}
