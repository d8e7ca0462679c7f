import { KeywardError } from 'keyward';

const ADVICE: Partial<Record<string, string>> = {
  unreachable: 'The server cannot be reached. Check that it is running, then try again.',
  timeout: 'The server did not answer in time. Try again in a moment.',
  overloaded: 'The server is busy. Try again in a moment.',
  confirmation_required: 'Confirm that it’s you first.',
  storage_full:
    'The disk of the server is full, so nothing can be changed. Tell its operator to free some space.',
  storage_unavailable: 'The server cannot reach its database. Try again, or tell its operator.',
};

/** What a browser says about passkeys, by the name of its exception. */
const PASSKEY_ADVICE: Partial<Record<string, string>> = {
  NotAllowedError: 'No passkey was used: it was cancelled, or took too long. Try again.',
  InvalidStateError: 'This device has a passkey here already.',
  SecurityError: 'Passkeys need https and a host name: not an address like 127.0.0.1.',
};

/** What went wrong, and what to do: for people. */
export function explain(error: unknown): string {
  if (error instanceof KeywardError) return ADVICE[error.code] ?? error.message;
  const advice = error instanceof DOMException ? PASSKEY_ADVICE[error.name] : undefined;
  return advice ?? 'Something went wrong in the page. Load it again.';
}
