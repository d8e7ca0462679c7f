import type { BodyOf } from 'keyward';
import { keyward } from './client.ts';
import { useInfiniteList } from './infinite-list.ts';
import { meChanged } from './me.ts';
import { queryClient } from './query-client.ts';
import { workspaceChanged } from './workspace.ts';

export const useTeammates = (accountId: string) =>
  useInfiniteList(['team', 'people', accountId], (paging, options) =>
    keyward.teammates.list({ accountId, ...paging }, options),
  );

export const useInvitations = (accountId: string) =>
  useInfiniteList(['team', 'invitations', accountId], (paging, options) =>
    keyward.invitations.list({ accountId, ...paging }, options),
  );

const changed = () => queryClient.invalidateQueries({ queryKey: ['team'] });

/** The answer may hold links, this once: into the state of the dialog that shows them. */
export async function invite(body: BodyOf<'createInvitations'>) {
  const made = await keyward.invitations.create(body);
  void changed();
  return made;
}

/** As with `invite`: the answer may hold the new link. The old one stops working. */
export async function resendInvitation(id: string, by: 'mail' | 'link') {
  const made = await keyward.invitations.resend(id, { by });
  void changed();
  return made;
}

export async function cancelInvitation(id: string) {
  await keyward.invitations.cancel(id);
  await changed();
}

export async function changeRole(id: string, body: BodyOf<'updateUserRole'>) {
  await keyward.teammates.updateRole(id, body);
  await Promise.all([changed(), meChanged()]);
}

export async function removeTeammate(id: string) {
  await keyward.teammates.remove(id);
  await changed();
}

export async function leaveAccount(accountId: string) {
  await keyward.me.leaveAccount(accountId);
  await Promise.all([meChanged(), workspaceChanged()]);
}
