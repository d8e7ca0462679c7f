import { Keyward } from 'keyward';
import { connectionLost } from './connection.ts';

/**
 * A user may belong to several accounts, so each request names one in a header: the account in its
 * query, or else the current account.
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

/** The published client. Calls the server of this page with the session cookie. */
export const keyward = new Keyward({ timeoutMs: 15_000, fetch: sendForAccount });

let accountId: string | null = null;

/** Called by the routes when a page opens. */
export function setCurrentAccount(id: string | null): void {
  accountId = id;
}

const currentAccount = (): string | null => accountId;
