import type { Counters } from '../../../cluster/counters/counters.ts';
import { KeywardError } from '../../../kernel/errors.ts';
import { rateLimitHeaders } from '../../rate-limits/index.ts';

/**
 * Ten times the largest request, which has 50 invitations. Such a request is accepted even if each of ten
 * nodes counts only its share of the limit.
 */
const MAILS_PER_HOUR = 500;
const HOUR_MS = 3_600_000;

/**
 * Counts mailed invitations of an account, and throws above the limit: all accounts share one mail server
 * and its reputation.
 */
export async function countInvitationMails(
  counters: Counters,
  accountId: string,
  mails: number,
  now: number,
): Promise<void> {
  const limit = {
    counter: `${accountId}:invitation-mails`,
    limit: MAILS_PER_HOUR,
    ttlMs: HOUR_MS,
    isSliding: false,
    isEnforced: true,
  };
  const set = { group: accountId, limits: [limit] };
  const { refusedBy, states } = await counters.takeAll(set, mails, now);
  if (refusedBy < 0) return;
  const { consumed, resetAt } = states[0]!;
  throw new KeywardError(
    'management_rate_limited',
    `An account can send ${MAILS_PER_HOUR} invitations per hour by email. Try again after the time in Retry-After.`,
    { headers: rateLimitHeaders(MAILS_PER_HOUR, { allowed: false, consumed, resetAt }, now) },
  );
}
