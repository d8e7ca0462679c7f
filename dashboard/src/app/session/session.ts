import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { meQuery } from '../../api/me.ts';
import { clearUserCache, onSessionLost, queryClient } from '../../api/query-client.ts';

/** Opens the dashboard after a sign-in. Clears the cache of the previous user first. */
export function useEnter(): (next?: string) => Promise<void> {
  const router = useRouter();
  return async (next = '/') => {
    clearUserCache();
    await router.invalidate();
    // A page with a value that is shown once blocks navigation, but that value is the previous user’s.
    router.history.push(`/dashboard${next}`, undefined, { ignoreBlocker: true });
  };
}

export interface LostSession {
  /** Closes the dialog and continues, or starts over if another user has signed in. */
  onSignedIn(): Promise<void>;
  /** Opens the sign-in page. The open form is lost. */
  onLeave(): void;
}

/**
 * When the session ends, the sign-in page replaces the current page. If a dialog is open, its form
 * would be lost, so the user signs in again in a second dialog above it. Null while no such dialog is needed.
 */
export function useLostSession(): LostSession | null {
  const router = useRouter();
  const enter = useEnter();
  const [userId, setUserId] = useState<string | null>(null);

  /** `isConfirmed`: the user chose to leave, so a value that is shown once does not keep the page open. */
  function leave(isConfirmed: boolean) {
    const { pathname, searchStr } = router.state.location;
    setUserId(null);
    clearUserCache();
    void router.navigate({
      to: '/login',
      search: { next: pathname + searchStr, expired: true },
      ignoreBlocker: isConfirmed,
    });
  }

  useEffect(() =>
    onSessionLost(() => {
      if (!router.state.matches.some(({ routeId }) => routeId === '/shell')) return;
      const id = queryClient.getQueryData(meQuery.queryKey)?.id;
      if (document.querySelector('dialog[open]') && id !== undefined) setUserId(id);
      else leave(false);
    }),
  );

  if (userId === null) return null;
  return {
    onLeave: () => leave(true),
    async onSignedIn() {
      const { id } = await queryClient.fetchQuery({ ...meQuery, staleTime: 0 });
      setUserId(null);
      if (id !== userId) await enter();
      else await queryClient.invalidateQueries();
    },
  };
}
