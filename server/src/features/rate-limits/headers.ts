import type { TakeResult } from '../../cluster/counters/counters.ts';

/**
 * The rate-limit headers of a response, as header lines. After the limit was lowered, or in a window
 * shared by rotated keys, more may be consumed than `limit`; the headers never show more. A refused cost
 * that never fits gets no `Retry-After`, because a retry cannot succeed.
 */
export function rateLimitLines(
  limit: number,
  taken: TakeResult,
  now: number,
  neverFits = false,
): string {
  const consumed = Math.min(taken.consumed, limit);
  const waitSeconds = Math.max(0, taken.resetAt - now) / 1000;
  const lines = `ratelimit-limit: ${limit}\r\nratelimit-remaining: ${limit - consumed}\r\nratelimit-reset: ${Math.ceil(taken.resetAt / 1000)}\r\nratelimit-consumed: ${consumed}\r\nretry-after-seconds: ${waitSeconds}\r\n`;
  return taken.allowed || neverFits ? lines : `${lines}Retry-After: ${Math.ceil(waitSeconds)}\r\n`;
}

/** Header lines as a flat list: name, value, name, value. */
export const headerList = (lines: string): string[] =>
  lines === '' ? [] : lines.trimEnd().split(/: |\r\n/);

export const rateLimitHeaders = (limit: number, taken: TakeResult, now: number): string[] =>
  headerList(rateLimitLines(limit, taken, now));
