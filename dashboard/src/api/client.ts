import { Keyward } from 'keyward';
import { connectionLost } from './connection.ts';

/**
 * A person may belong to several accounts; each call says which one it is about. One that names an
 * account in its query means that one.
 */
const sendForAccount: typeof fetch = async (input, init) => {
  const named = new URL(String(input), location.origin).searchParams.get('accountId');
  const account = named ?? currentAccount();
  const headers = new Headers(init?.headers);
  if (account !== null) headers.set('x-keyward-account', account);
  try {
    return await fetch(input, { ...init, headers });
  } catch (error) {
    if (!init?.signal?.aborted) connectionLost();
    throw error;
  }
};

/** The published client, on the server that this page came from, with the cookie of the session. */
export const keyward = new Keyward({ timeoutMs: 15_000, fetch: sendForAccount });

let accountId: string | null = null;

/** Said by the routes when they open a page: calls are about this account until the next one. */
export function setCurrentAccount(id: string | null): void {
  accountId = id;
}

const currentAccount = (): string | null => accountId;
