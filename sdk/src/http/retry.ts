import type { OPERATIONS } from '../generated/operations.ts';
import type { KeywardError } from './errors.ts';

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;

/** Temporary statuses of a proxy or a node. */
const TEMPORARY_STATUSES = new Set<number | null>([502, 503, 504]);

/** The server rejected the call before doing any work, so any call may be sent again. */
const REJECTED_BEFORE_WORK = new Set<string>([
  'overloaded',
  'shutting_down',
  'management_rate_limited',
]);

/**
 * POST calls that may be sent twice although they take no idempotency key: explanations and previews
 * change nothing. A validation whose response was lost may have been counted: one use too many is
 * better than refusing a user with a valid key.
 */
const REPEATABLE_POSTS = new Set<string>([
  'validateApiKey',
  'validateApiKeys',
  'authenticateApiKey',
  'explainApiKey',
  'previewPlan',
]);

/** DELETE calls that succeed again when they are repeated; the others would return 404. */
const REPEATABLE_DELETES = new Set<string>([
  'deleteApiKey',
  'portalRevokeApiKey',
  'deleteAccessKey',
  'deleteProject',
  'deleteWebhook',
  'endOtherSessions',
]);

/** Whether the client may send the call again if its response was lost. */
export function isRepeatable(
  id: keyof typeof OPERATIONS,
  operation: { readonly method: string; readonly creates?: true },
  {
    query,
    body,
  }: { readonly query?: Readonly<Record<string, unknown>> | undefined; readonly body?: unknown },
): boolean {
  if (operation.method === 'POST') return operation.creates === true || REPEATABLE_POSTS.has(id);
  // Erasing a key again returns a 404, which would hide that the first call succeeded.
  if (operation.method === 'DELETE') return REPEATABLE_DELETES.has(id) && query?.permanent !== true;
  // Setting credits again would give back what was spent in between.
  return !(typeof body === 'object' && body !== null && 'credits' in body);
}

export function mayRetry(error: KeywardError, repeatable: boolean): boolean {
  if (REJECTED_BEFORE_WORK.has(error.code)) return true;
  // The same query would take as long again.
  if (error.code === 'query_too_slow') return false;
  if (!repeatable || error.code === 'timeout') return false;
  // The attempt whose response was lost is still running.
  if (error.code === 'idempotency_in_flight') return true;
  return error.code === 'unreachable' || TEMPORARY_STATUSES.has(error.statusCode);
}

/**
 * Exponential backoff with full jitter: between 0 and 100 ms · 2ⁿ, so that clients that failed
 * together do not retry together; never less than the server's `Retry-After`.
 */
export function waitMs(attempt: number, retryAfterSeconds: number | null, random: number): number {
  const ceiling = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
  return Math.max(random * ceiling, (retryAfterSeconds ?? 0) * 1000);
}
