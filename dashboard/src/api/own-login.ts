import { useQuery } from '@tanstack/react-query';
import { keyward } from './client.ts';
import { meChanged } from './me.ts';
import { queryClient } from './query-client.ts';

export const changePassword = (currentPassword: string, newPassword: string) =>
  keyward.call('changePassword', { body: { currentPassword, newPassword } });

/** The answer holds the secret and the recovery codes, this once. */
export const beginTwoFactor = (password: string) =>
  keyward.call('beginTwoFactor', { body: { password } });

export async function confirmTwoFactor(code: string) {
  await keyward.call('confirmTwoFactor', { body: { code } });
  await meChanged();
}

export async function endTwoFactor(password: string) {
  await keyward.call('endTwoFactor', { body: { password } });
  await meChanged();
}

/** The answer holds the new codes, this once; the old ones are gone. */
export const newRecoveryCodes = (password: string) =>
  keyward.call('newRecoveryCodes', { body: { password } });

export const useSessions = () =>
  useQuery({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => keyward.call('listSessions', {}, { signal }),
  });

const sessionsChanged = () => queryClient.invalidateQueries({ queryKey: ['sessions'] });

export async function endSession(id: string) {
  await keyward.call('endSession', { path: { id } });
  await sessionsChanged();
}

export async function endOtherSessions() {
  await keyward.call('endOtherSessions', {});
  await sessionsChanged();
}
