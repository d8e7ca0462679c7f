import type { OPERATIONS } from '../generated/operations.ts';
import type { KeywardError } from './errors.ts';

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;

/** Answers that a proxy or a node gives for a moment. */
const PASSING = new Set<number | null>([502, 503, 504]);

/** Refused before anything was done: such a call may be sent again whatever it does. */
const UNTOUCHED = new Set<string>(['overloaded', 'shutting_down', 'management_rate_limited']);

/**
 * POST calls that may be sent twice though they take no idempotency key. A validation whose answer
 * was lost may have counted: one use too many is better than a user turned away for nothing.
 */
const REPEATABLE_POSTS = new Set<string>([
  'validateApiKey',
  'validateApiKeys',
  'authenticateApiKey',
]);

/** Whether the second of two equal calls changes nothing that the first has not changed. */
export function isRepeatable(
  id: keyof typeof OPERATIONS,
  operation: { readonly method: string; readonly creates?: true },
  query: Readonly<Record<string, unknown>> = {},
): boolean {
  if (operation.method === 'POST') return operation.creates === true || REPEATABLE_POSTS.has(id);
  // What is erased cannot be found a second time: the 404 would hide that it succeeded.
  return query.permanent !== true;
}

export function mayRetry(error: KeywardError, repeatable: boolean): boolean {
  if (UNTOUCHED.has(error.code)) return true;
  if (!repeatable || error.code === 'timeout') return false;
  // The attempt whose answer was lost is still under way.
  if (error.code === 'idempotency_in_flight') return true;
  return error.code === 'unreachable' || PASSING.has(error.statusCode);
}

/**
 * Exponential backoff with full jitter: anything from nothing to 100 ms · 2ⁿ, so that clients that
 * failed together do not come back together; never less than the server asks for.
 */
export function waitMs(attempt: number, retryAfterSeconds: number | null, random: number): number {
  const ceiling = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
  return Math.max(random * ceiling, (retryAfterSeconds ?? 0) * 1000);
}
