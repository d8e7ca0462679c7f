import type { Counters } from '../../../cluster/counters/counters.ts';
import { KeywardError } from '../../../kernel/errors.ts';
import { type AccountLimit, rateLimitHeaders, takeFromAccount } from '../../rate-limits/index.ts';

/**
 * Ten times the largest request, which has 50 invitations. Such a request is accepted even if each of ten
 * nodes counts only its share of the limit.
 */
const PER_HOUR: AccountLimit = { name: 'invitation-mails', limit: 500, ttlMs: 3_600_000 };

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
  const taken = await takeFromAccount(counters, accountId, PER_HOUR, mails, now);
  if (taken.allowed) return;
  throw new KeywardError(
    'management_rate_limited',
    `An account can send ${PER_HOUR.limit} invitations per hour by email. Try again after the time in Retry-After.`,
    { headers: rateLimitHeaders(PER_HOUR.limit, taken, now) },
  );
}
