import type { BodyOf } from 'keyward';
import { keyward } from './client.ts';
import { useInfiniteList } from './infinite-list.ts';
import { invalidateMe } from './me.ts';
import { queryClient } from './query-client.ts';
import { invalidateWorkspace } from './workspace.ts';

export const useTeammates = (accountId: string) =>
  useInfiniteList(['team', 'people', accountId], (paging, options) =>
    keyward.teammates.list({ accountId, ...paging }, options),
  );

export const useInvitations = (accountId: string) =>
  useInfiniteList(['team', 'invitations', accountId], (paging, options) =>
    keyward.invitations.list({ accountId, ...paging }, options),
  );

const invalidate = () => queryClient.invalidateQueries({ queryKey: ['team'] });

/** The response may contain links, which are shown once: keep them only in the state of the dialog. */
export async function invite(body: BodyOf<'createInvitations'>, idempotencyKey: string) {
  const created = await keyward.invitations.create(body, { idempotencyKey });
  void invalidate();
  return created;
}

/** The old link stops working. The response may contain the new one, as with `invite`. */
export async function resendInvitation(id: string, by: 'mail' | 'link') {
  const created = await keyward.invitations.resend(id, { by });
  void invalidate();
  return created;
}

export async function cancelInvitation(id: string) {
  await keyward.invitations.cancel(id);
  await invalidate();
}

export async function changeRole(id: string, body: BodyOf<'updateUserRole'>) {
  await keyward.teammates.updateRole(id, body);
  await Promise.all([invalidate(), invalidateMe()]);
}

export async function removeTeammate(id: string) {
  await keyward.teammates.remove(id);
  await invalidate();
}

export async function leaveAccount(accountId: string) {
  await keyward.me.leaveAccount(accountId);
  await Promise.all([invalidateMe(), invalidateWorkspace()]);
}
