/**
 * Circuit breaker: pure functions that return the next state.
 *
 *   closed ──too many failures in a row, or the connection lost──▶ open
 *   open ──a probe succeeds after the pause──▶ closed
 *
 * While it is open only probes are sent, so that no request waits for a service that does not
 * respond. A breaker that opens again soon after it closed pauses twice as long, because a flapping
 * service is worse than an unavailable one.
 */
export interface Breaker {
  readonly isOpen: boolean;
  /** Consecutive failures while closed. */
  readonly failures: number;
  /** When it last opened or closed. */
  readonly since: number;
  readonly pauseMs: number;
}

export const FAILURES_TO_OPEN = 5;
export const PAUSE_MS_MIN = 200;
export const PAUSE_MS_MAX = 5_000;
/** After being closed for this long, the pause starts from its minimum again. */
export const STEADY_MS = 10_000;

export const openBreaker = (now: number): Breaker => ({
  isOpen: true,
  failures: 0,
  since: now,
  pauseMs: 0,
});

export function afterFailure(breaker: Breaker, now: number): Breaker {
  if (breaker.isOpen) return breaker;
  const failures = breaker.failures + 1;
  return failures < FAILURES_TO_OPEN ? { ...breaker, failures } : afterDisconnect(breaker, now);
}

/** A late reply to a request sent before the breaker opened does not close it. */
export function afterReply(breaker: Breaker): Breaker {
  return breaker.isOpen || breaker.failures === 0 ? breaker : { ...breaker, failures: 0 };
}

export function afterDisconnect(breaker: Breaker, now: number): Breaker {
  if (breaker.isOpen) return breaker;
  const isSteady = now - breaker.since >= STEADY_MS;
  const pauseMs = isSteady
    ? PAUSE_MS_MIN
    : Math.min(PAUSE_MS_MAX, Math.max(PAUSE_MS_MIN, breaker.pauseMs * 2));
  return { isOpen: true, failures: 0, since: now, pauseMs };
}

export function afterProbe(breaker: Breaker, now: number): Breaker {
  if (!breaker.isOpen) return afterReply(breaker);
  if (now - breaker.since < breaker.pauseMs) return breaker;
  return { ...breaker, isOpen: false, since: now };
}
