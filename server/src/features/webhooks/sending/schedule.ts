import { RETRY_AFTER_MS_MAX } from '../transport/retry-after.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The wait after each failed attempt; after the eighth attempt the delivery is over. */
export const RETRY_DELAYS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  10 * HOUR,
];

/** How long an endpoint may do nothing but fail before it is disabled. */
export const FAILING_MS_MAX = 5 * DAY;

/**
 * With nothing tried for longer than this, nobody knows that the endpoint was failing. Retries are
 * never further apart: a day at most, when the receiver asks for that.
 */
export const SILENCE_MS_MAX = 2 * DAY;

const JITTER = 0.2;

/**
 * When to try again after `attemptsMade` attempts, all failed; null when that was the last. The
 * receiver's Retry-After only ever delays: a busy receiver is not called sooner than it asked.
 */
export function nextAttemptAt(
  attemptsMade: number,
  now: number,
  random01: number,
  retryAfterMs: number | null,
): number | null {
  const delay = RETRY_DELAYS[attemptsMade - 1];
  if (delay === undefined) return null;
  const jittered = Math.round(delay * (1 - JITTER + 2 * JITTER * random01));
  return now + Math.max(jittered, Math.min(retryAfterMs ?? 0, RETRY_AFTER_MS_MAX));
}

/** `failingSince`: the first failure since the last success, null when the last one succeeded. */
export function failureVerdict(state: {
  readonly failingSince: number | null;
  readonly now: number;
}): 'keep' | 'disable' {
  const { failingSince, now } = state;
  return failingSince !== null && now - failingSince >= FAILING_MS_MAX ? 'disable' : 'keep';
}
