import type { Taken } from '../../cluster/counters.ts';

/**
 * The rate-limit headers of an answer, flat: name, value, name, value. After a lowered limit, or in
 * a rotation's shared window, more may have been counted than `limit`; what is shown never passes it.
 */
export function rateLimitHeaders(limit: number, taken: Taken, now: number): string[] {
  const consumed = Math.min(taken.consumed, limit);
  const waitSeconds = Math.max(0, taken.resetAt - now) / 1000;
  const headers = [
    'ratelimit-limit',
    String(limit),
    'ratelimit-remaining',
    String(limit - consumed),
    'ratelimit-reset',
    String(Math.ceil(taken.resetAt / 1000)),
    'ratelimit-consumed',
    String(consumed),
    'retry-after-seconds',
    String(waitSeconds),
  ];
  if (!taken.allowed) headers.push('Retry-After', String(Math.ceil(waitSeconds)));
  return headers;
}
