import {
  demand,
  mayGrant,
  type Principal,
  type Resource,
  ROLE_SCOPES,
  type Role,
} from '../../../kernel/authority.ts';
import { isoTime } from '../../../kernel/clock.ts';
import { KeywardError } from '../../../kernel/errors.ts';
import { readEmail } from '../email.ts';
import type { Invitation, InvitationInfo, InvitationStatus } from './schema.ts';
import type { InfoRow, InvitationRow } from './store.ts';

export const INVITATION_LIFE_MS = 7 * 86_400_000;

/** Trimmed and in lower case, each once, in the order given. */
export const readEmails = (emails: readonly string[]): string[] => [
  ...new Set(emails.map((email) => readEmail(email, 'emails'))),
];

/** `expired` follows from the time alone, so that no job has to write it. */
export function statusAt(
  row: { status: 'pending' | 'accepted' | 'cancelled'; expires_at: number },
  now: number,
): InvitationStatus {
  return row.status === 'pending' && now >= row.expires_at ? 'expired' : row.status;
}

/** Where an invitation acts: narrowed to one project it is that project's, else the account's. */
export function resourceOf(accountId: string, projectIds: readonly string[] | null): Resource {
  return { accountId, projectId: projectIds?.length === 1 ? projectIds[0]! : null };
}

/** Whoever invites needs the scope wherever the role will reach. */
export function demandInvite(
  principal: Principal,
  accountId: string,
  projectIds: readonly string[] | null,
): void {
  if (projectIds === null)
    demand(principal, 'invitations:write', { accountId, projectId: null }, 'account_not_found');
  for (const projectId of projectIds ?? [])
    demand(principal, 'invitations:write', { accountId, projectId }, 'project_not_found');
}

/** Nobody hands on, through a role, a scope that they do not hold. */
export function demandRole(principal: Principal, role: Role): void {
  if (!mayGrant(principal, ROLE_SCOPES[role]))
    throw new KeywardError('grant_exceeds_own', `The role ${role} holds scopes that you lack.`);
}

/** The token stands in the fragment, which browsers keep to themselves: no log sees it. */
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
  inviter: row.person_name ?? row.inviter_name ?? 'operator',
  role: row.role,
  status: statusAt(row, now),
});
