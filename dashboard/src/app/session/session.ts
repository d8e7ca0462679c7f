import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { forgetPerson, onSessionLost } from '../../api/query-client.ts';

/** In, after signing in: what was remembered for nobody or somebody else is forgotten first. */
export function useEnter(): (next?: string) => Promise<void> {
  const router = useRouter();
  return async (next = '/') => {
    forgetPerson();
    await router.invalidate();
    router.history.push(`/dashboard${next}`);
  };
}

/** A session that ended elsewhere: back to the login, and from there to where one was. */
export function useLostSession(): void {
  const router = useRouter();
  useEffect(
    () =>
      onSessionLost(() => {
        const { pathname, searchStr } = router.state.location;
        if (!router.state.matches.some(({ routeId }) => routeId === '/shell')) return;
        forgetPerson();
        void router.navigate({
          to: '/login',
          search: { next: pathname + searchStr, expired: true },
        });
      }),
    [router],
  );
}
