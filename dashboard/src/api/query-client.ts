import { QueryCache, QueryClient } from '@tanstack/react-query';
import { KeywardError } from 'keyward';

const lostSession = new Set<() => void>();

/** Tells when a call was refused because nobody is signed in any more. */
export function onSessionLost(listener: () => void): () => void {
  lostSession.add(listener);
  return () => lostSession.delete(listener);
}

/** Not every 401: a wrong code for the second factor is one as well. */
const SIGNED_OUT = /^(session|credential)_/;

export const isSignedOut = (error: unknown): boolean =>
  error instanceof KeywardError && error.statusCode === 401 && SIGNED_OUT.test(error.code);

export function tellIfSessionLost(error: unknown): void {
  if (isSignedOut(error)) for (const tell of lostSession) tell();
}

/**
 * Answers to reads, and only those. What a change answers may hold a value that is shown once: it
 * goes to the component that asked (`useAction`), and never in here.
 */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: tellIfSessionLost }),
  defaultOptions: {
    queries: {
      // The client tries again by itself where that is safe.
      retry: false,
      staleTime: 20_000,
      gcTime: 5 * 60_000,
    },
  },
});

/** Of the server, and the same for everybody: how one may sign in. */
export const SIGN_IN_METHODS = 'sign-in-methods';

/**
 * All that was answered to whoever was here. The page of the login may stand already and wait for
 * the ways in: forgetting those too would leave it without its buttons.
 */
export function forgetPerson(): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SIGN_IN_METHODS });
}
