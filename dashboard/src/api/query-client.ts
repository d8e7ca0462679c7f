import { QueryCache, QueryClient } from '@tanstack/react-query';
import { KeywardError } from 'keyward';

const sessionLostListeners = new Set<() => void>();

/** Calls `listener` when a request is rejected because the session has ended. */
export function onSessionLost(listener: () => void): () => void {
  sessionLostListeners.add(listener);
  return () => sessionLostListeners.delete(listener);
}

/** Not every 401: a wrong second-factor code is a 401 too. */
const SIGNED_OUT = /^(session|credential)_/;

export const isSignedOut = (error: unknown): boolean =>
  error instanceof KeywardError && error.statusCode === 401 && SIGNED_OUT.test(error.code);

export function notifyIfSessionLost(error: unknown): void {
  if (isSignedOut(error)) for (const notify of sessionLostListeners) notify();
}

/**
 * Caches responses of reads only. The response of a change may contain a value that is shown once;
 * it goes to the calling component (`useAction`) and is never cached.
 */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: notifyIfSessionLost }),
  defaultOptions: {
    queries: {
      // The client retries where that is safe.
      retry: false,
      staleTime: 20_000,
      gcTime: 5 * 60_000,
    },
  },
});

/** Query key of the sign-in methods, which are the same for all users. */
export const SIGN_IN_METHODS = 'sign-in-methods';

/**
 * Clears all cached responses of the previous user. Keeps the sign-in methods: the sign-in page may
 * already be open, and would lose its buttons.
 */
export function clearUserCache(): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SIGN_IN_METHODS });
}
