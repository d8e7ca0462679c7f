import { KeywardError } from 'keyward';

const ADVICE: Partial<Record<string, string>> = {
  unreachable: 'The server cannot be reached. Check that it is running, then try again.',
  timeout: 'The server did not answer in time. Try again in a moment.',
  overloaded: 'The server is busy. Try again in a moment.',
  storage_unavailable: 'The server cannot reach its database. Try again, or tell its operator.',
};

/** What went wrong, and what to do: for people. */
export function explain(error: unknown): string {
  if (!(error instanceof KeywardError)) return 'Something went wrong in the page. Load it again.';
  return ADVICE[error.code] ?? error.message;
}
