import { useRouter } from '@tanstack/react-router';
import { forgetPerson } from '../api/query-client.ts';

/** In, after signing in: what was remembered for nobody or somebody else is forgotten first. */
export function useEnter(): (next?: string) => Promise<void> {
  const router = useRouter();
  return async (next = '/') => {
    forgetPerson();
    await router.invalidate();
    router.history.push(`/dashboard${next}`);
  };
}
