import { useQuery } from '@tanstack/react-query';
import { keyward } from './client.ts';
import { meChanged } from './me.ts';
import { queryClient } from './query-client.ts';

export async function confirmTwoFactor(code: string) {
  await keyward.me.twoFactor.confirm({ code });
  await meChanged();
}

export async function endTwoFactor(password: string) {
  await keyward.me.twoFactor.disable({ password });
  await meChanged();
}

export const useSessions = () =>
  useQuery({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => keyward.me.sessions.list({ signal }),
  });

const sessionsChanged = () => queryClient.invalidateQueries({ queryKey: ['sessions'] });

export async function endSession(id: string) {
  await keyward.me.sessions.end(id);
  await sessionsChanged();
}

export async function endOtherSessions() {
  await keyward.me.sessions.endOthers();
  await sessionsChanged();
}
