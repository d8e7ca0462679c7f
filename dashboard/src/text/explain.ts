import { KeywardError } from 'keyward';

const SESSION_ENDED = 'Your session has ended. Sign in again, then repeat this.';

const ADVICE: Partial<Record<string, string>> = {
  unreachable: 'The server cannot be reached. Check your connection, then try again.',
  timeout: 'The server did not respond in time. Try again in a moment.',
  overloaded: 'The server is busy. Try again in a moment.',
  query_too_slow:
    'This list takes too long to compute. Choose a shorter time, a filter or another order.',
  query_too_large:
    'Sorting by use reads the counts of every key, and there are more than 100,000. Open Analytics and choose a key, a customer or a user; without a choice, it shows the totals of the project.',
  session_invalid: SESSION_ENDED,
  credential_missing: SESSION_ENDED,
  confirmation_required: 'Confirm that it’s you first.',
  storage_full:
    'The disk of the server is full, so only revocations can be saved. Ask your administrator to free some space.',
  storage_unavailable:
    'The server cannot reach its database. Try again, or contact your administrator.',
};

/** Errors of the browser's passkey API, by name of the exception. */
const PASSKEY_ADVICE: Partial<Record<string, string>> = {
  NotAllowedError: 'The passkey request was cancelled or timed out. Try again.',
  InvalidStateError: 'This device already has a passkey for your user.',
  SecurityError: 'Passkeys require HTTPS and a host name, not an IP address such as 127.0.0.1.',
};

/** Message for users: what went wrong, and what to do. */
export function explain(error: unknown): string {
  if (error instanceof KeywardError) return ADVICE[error.code] ?? error.message;
  const advice = error instanceof DOMException ? PASSKEY_ADVICE[error.name] : undefined;
  return advice ?? 'Something went wrong. Reload the page.';
}

/** The field of the request body that the server rejected. The message starts with its path. */
export const fieldOf = (error: unknown): string | null =>
  error instanceof KeywardError && error.code === 'invalid_body'
    ? (/^[a-zA-Z]\w*/.exec(error.message)?.[0] ?? null)
    : null;
