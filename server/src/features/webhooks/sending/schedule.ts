import { RETRY_AFTER_MS_MAX } from '../transport/retry-after.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The delay after each failed attempt. The eighth attempt is the last. */
export const RETRY_DELAYS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  10 * HOUR,
];

/** A webhook whose attempts have all failed for this long is disabled. */
export const FAILING_MS_MAX = 5 * DAY;

/**
 * A longer pause without attempts ends a failure period. Retries alone never pause for so long:
 * Retry-After delays them by at most a day.
 */
export const SILENCE_MS_MAX = 2 * DAY;

const JITTER = 0.2;

/**
 * When to retry after `attemptsMade` failed attempts; null after the last. Retry-After can delay an
 * attempt, but not bring it forward.
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

/** `failingSince`: the first failure since the last success; null if the last attempt succeeded. */
export function failureVerdict(state: {
  readonly failingSince: number | null;
  readonly now: number;
}): 'keep' | 'disable' {
  const { failingSince, now } = state;
  return failingSince !== null && now - failingSince >= FAILING_MS_MAX ? 'disable' : 'keep';
}
