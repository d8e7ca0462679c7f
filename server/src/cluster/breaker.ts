/**
 * Whether a service beside ours is asked at all.
 *
 *   closed ──too many failures in a row, or the connection lost──▶ open
 *   open ──a probe answered, once the pause is over──▶ closed
 *
 * While it is open only probes are sent, so that nobody waits for what does not answer. A breaker
 * that opens again soon after it closed pauses twice as long: a service that comes and goes is
 * worse than one that is away.
 */
export interface Breaker {
  readonly isOpen: boolean;
  /** In a row, while closed. */
  readonly failures: number;
  /** When it opened or closed last. */
  readonly since: number;
  readonly pauseMs: number;
}

export const FAILURES_TO_OPEN = 5;
export const PAUSE_MS_MIN = 200;
export const PAUSE_MS_MAX = 5_000;
/** Who has held for this long is trusted again. */
export const STEADY_MS = 10_000;

export const openBreaker = (now: number): Breaker => ({
  isOpen: true,
  failures: 0,
  since: now,
  pauseMs: 0,
});

export function failed(breaker: Breaker, now: number): Breaker {
  if (breaker.isOpen) return breaker;
  const failures = breaker.failures + 1;
  return failures < FAILURES_TO_OPEN ? { ...breaker, failures } : lost(breaker, now);
}

/** A request was answered in time. One that had been sent before it opened does not close it. */
export function answered(breaker: Breaker): Breaker {
  return breaker.isOpen || breaker.failures === 0 ? breaker : { ...breaker, failures: 0 };
}

export function lost(breaker: Breaker, now: number): Breaker {
  if (breaker.isOpen) return breaker;
  const isSteady = now - breaker.since >= STEADY_MS;
  const pauseMs = isSteady
    ? PAUSE_MS_MIN
    : Math.min(PAUSE_MS_MAX, Math.max(PAUSE_MS_MIN, breaker.pauseMs * 2));
  return { isOpen: true, failures: 0, since: now, pauseMs };
}

export function probeAnswered(breaker: Breaker, now: number): Breaker {
  if (!breaker.isOpen) return answered(breaker);
  if (now - breaker.since < breaker.pauseMs) return breaker;
  return { ...breaker, isOpen: false, since: now };
}
