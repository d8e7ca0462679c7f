import { isoTime } from '../../../kernel/clock.ts';
import { statusAt } from './rules.ts';
import type { Invitation, InvitationInfo } from './schema.ts';
import type { InfoRow, InvitationRow } from './store.ts';

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
