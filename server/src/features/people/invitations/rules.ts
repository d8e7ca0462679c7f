import {
  mayGrant,
  type Principal,
  type Resource,
  ROLE_SCOPES,
  type Role,
  requireScope,
} from '../../../kernel/authority.ts';
import { readEmail } from '../../../kernel/email.ts';
import { KeywardError } from '../../../kernel/errors.ts';
import { isoTime } from '../../../kernel/time/clock.ts';
import type { Invitation, InvitationInfo, InvitationStatus } from './schema.ts';
import type { InfoRow, InvitationRow } from './store.ts';

export const INVITATION_LIFE_MS = 7 * 86_400_000;

/** Trimmed, in lower case, without duplicates, in the given order. */
export const readEmails = (emails: readonly string[]): string[] => [
  ...new Set(emails.map((email) => readEmail(email, 'emails'))),
];

/** `expired` is derived from the time, so no job has to store it. */
export function statusAt(
  row: { status: 'pending' | 'accepted' | 'cancelled'; expires_at: number },
  now: number,
): InvitationStatus {
  return row.status === 'pending' && now >= row.expires_at ? 'expired' : row.status;
}

/** The resource of an invitation: its project if it has exactly one, otherwise the account. */
export function resourceOf(accountId: string, projectIds: readonly string[] | null): Resource {
  return { accountId, projectId: projectIds?.length === 1 ? projectIds[0]! : null };
}

/** The inviter needs the scope in every project of the role. */
export function requireInvite(
  principal: Principal,
  accountId: string,
  projectIds: readonly string[] | null,
): void {
  if (projectIds === null)
    requireScope(
      principal,
      'invitations:write',
      { accountId, projectId: null },
      'account_not_found',
    );
  for (const projectId of projectIds ?? [])
    requireScope(principal, 'invitations:write', { accountId, projectId }, 'project_not_found');
}

/** Nobody can grant a role with scopes that they do not hold. */
export function requireRoleGrant(principal: Principal, role: Role): void {
  if (!mayGrant(principal, ROLE_SCOPES[role]))
    throw new KeywardError(
      'grant_exceeds_own',
      `The role ${role} has scopes that you do not have.`,
    );
}

/** The token is in the fragment, which browsers do not send, so it appears in no log. */
export const invitationLink = (publicUrl: string, id: string, token: string): string =>
  `${publicUrl.replace(/\/+$/, '')}/dashboard/invitations/${id}#token=${token}`;

export const projectIdsOf = (row: InvitationRow): string[] | null =>
  row.project_ids === null ? null : JSON.parse(row.project_ids);

export const invitation = (row: InvitationRow, now: number): Invitation => ({
  id: row.id,
  email: row.email,
  role: row.role,
  accountId: row.account_id,
  projectIds: projectIdsOf(row),
  status: statusAt(row, now),
  invitedBy: row.invited_by,
  createdAt: isoTime(row.created_at),
  updatedAt: isoTime(row.updated_at),
  expiresAt: isoTime(row.expires_at),
  acceptedBy: row.accepted_by,
  emailStatus: row.email_status,
});

export const invitationInfo = (row: InfoRow, now: number): InvitationInfo => ({
  accountName: row.account_name,
  inviter: row.person_name ?? row.inviter_name ?? 'Someone',
  role: row.role,
  status: statusAt(row, now),
});
