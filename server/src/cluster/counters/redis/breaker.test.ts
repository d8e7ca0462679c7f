import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  afterDisconnect,
  afterFailure,
  afterProbe,
  afterReply,
  type Breaker,
  FAILURES_TO_OPEN,
  openBreaker,
  PAUSE_MS_MAX,
  PAUSE_MS_MIN,
  STEADY_MS,
} from './breaker.ts';

const closedAt = (now: number): Breaker => afterProbe(openBreaker(now), now);

it('opens after five consecutive failures; a reply in between resets the count', () => {
  let breaker = closedAt(0);
  for (let n = 1; n < FAILURES_TO_OPEN; n++) breaker = afterFailure(breaker, n);
  breaker = afterReply(breaker);
  for (let n = 1; n < FAILURES_TO_OPEN; n++) {
    breaker = afterFailure(breaker, n);
    expect(breaker.isOpen).toBe(false);
  }
  expect(afterFailure(breaker, 9).isOpen).toBe(true);
});

it('doubles the pause each time it opens soon after it closed, up to a maximum', () => {
  let breaker = closedAt(0);
  let now = 0;
  const pauses: number[] = [];
  for (let n = 0; n < 8; n++) {
    breaker = afterDisconnect(breaker, ++now);
    pauses.push(breaker.pauseMs);
    now += breaker.pauseMs;
    breaker = afterProbe(breaker, now);
  }
  expect(pauses).toEqual([200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000]);
  expect(afterDisconnect(breaker, now + STEADY_MS).pauseMs).toBe(PAUSE_MS_MIN);
});

type Step = {
  readonly what: 'afterFailure' | 'answered' | 'afterDisconnect' | 'probe';
  readonly ms: number;
};
const step: fc.Arbitrary<Step> = fc.record({
  what: fc.constantFrom('afterFailure', 'answered', 'afterDisconnect', 'probe'),
  ms: fc.oneof(fc.nat({ max: 300 }), fc.nat({ max: 30_000 })),
});

it('opens only after failures and closes only after a probe, for any order of events', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      let breaker = closedAt(0);
      let now = 0;
      let failuresInARow = 0;
      for (const { what, ms } of steps) {
        now += ms;
        const before = breaker;
        breaker = next(before, what, now);
        failuresInARow =
          breaker.isOpen || what === 'answered' || what === 'probe'
            ? 0
            : failuresInARow + Number(what === 'afterFailure');
        expect(breaker.pauseMs).toBeLessThanOrEqual(PAUSE_MS_MAX);
        if (!before.isOpen && breaker.isOpen) {
          expect(what === 'afterDisconnect' || before.failures === FAILURES_TO_OPEN - 1).toBe(true);
          expect(breaker.pauseMs).toBeGreaterThanOrEqual(PAUSE_MS_MIN);
        }
        if (before.isOpen && !breaker.isOpen) {
          expect(what).toBe('probe');
          expect(now - before.since).toBeGreaterThanOrEqual(before.pauseMs);
        }
        expect(breaker.failures).toBe(failuresInARow);
        if (before.isOpen && what === 'probe' && now - before.since >= before.pauseMs)
          expect(breaker.isOpen).toBe(false);
      }
    }),
  );
});

function next(breaker: Breaker, what: Step['what'], now: number): Breaker {
  if (what === 'afterFailure') return afterFailure(breaker, now);
  if (what === 'answered') return afterReply(breaker);
  return what === 'afterDisconnect' ? afterDisconnect(breaker, now) : afterProbe(breaker, now);
}
