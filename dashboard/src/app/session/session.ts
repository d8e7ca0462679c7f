import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { meQuery } from '../../api/me.ts';
import { forgetPerson, onSessionLost, queryClient } from '../../api/query-client.ts';

/** Opens the dashboard after a sign-in. Whatever was cached for somebody else is removed first. */
export function useEnter(): (next?: string) => Promise<void> {
  const router = useRouter();
  return async (next = '/') => {
    forgetPerson();
    await router.invalidate();
    router.history.push(`/dashboard${next}`);
  };
}

export interface LostSession {
  /** Signed in again: closes the dialog and continues, or starts over if it is somebody else. */
  onSignedIn(): Promise<void>;
  /** To the sign-in page, without the open form. */
  onLeave(): void;
}

/**
 * When the session has ended, the sign-in page replaces the current page. While a dialog is open, its
 * form would be lost: then the person signs in above it. Null unless that is so.
 */
export function useLostSession(): LostSession | null {
  const router = useRouter();
  const enter = useEnter();
  const [personId, setPersonId] = useState<string | null>(null);

  function leave() {
    const { pathname, searchStr } = router.state.location;
    setPersonId(null);
    forgetPerson();
    void router.navigate({ to: '/login', search: { next: pathname + searchStr, expired: true } });
  }

  useEffect(() =>
    onSessionLost(() => {
      if (!router.state.matches.some(({ routeId }) => routeId === '/shell')) return;
      const id = queryClient.getQueryData(meQuery.queryKey)?.id;
      if (document.querySelector('dialog[open]') && id !== undefined) setPersonId(id);
      else leave();
    }),
  );

  if (personId === null) return null;
  return {
    onLeave: leave,
    async onSignedIn() {
      const { id } = await queryClient.fetchQuery({ ...meQuery, staleTime: 0 });
      setPersonId(null);
      if (id !== personId) await enter();
      else await queryClient.invalidateQueries();
    },
  };
}
