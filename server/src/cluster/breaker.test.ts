import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  answered,
  type Breaker,
  FAILURES_TO_OPEN,
  failed,
  lost,
  openBreaker,
  PAUSE_MS_MAX,
  PAUSE_MS_MIN,
  probeAnswered,
  STEADY_MS,
} from './breaker.ts';

const closedAt = (now: number): Breaker => probeAnswered(openBreaker(now), now);

it('opens at the fifth failure in a row, and an answer in between begins the row anew', () => {
  let breaker = closedAt(0);
  for (let n = 1; n < FAILURES_TO_OPEN; n++) breaker = failed(breaker, n);
  breaker = answered(breaker);
  for (let n = 1; n < FAILURES_TO_OPEN; n++) {
    breaker = failed(breaker, n);
    expect(breaker.isOpen).toBe(false);
  }
  expect(failed(breaker, 9).isOpen).toBe(true);
});

it('pauses twice as long each time it opens soon after it closed, and not for ever', () => {
  let breaker = closedAt(0);
  let now = 0;
  const pauses: number[] = [];
  for (let n = 0; n < 8; n++) {
    breaker = lost(breaker, ++now);
    pauses.push(breaker.pauseMs);
    now += breaker.pauseMs;
    breaker = probeAnswered(breaker, now);
  }
  expect(pauses).toEqual([200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000]);
  expect(lost(breaker, now + STEADY_MS).pauseMs).toBe(PAUSE_MS_MIN);
});

type Step = { readonly what: 'failed' | 'answered' | 'lost' | 'probe'; readonly ms: number };
const step: fc.Arbitrary<Step> = fc.record({
  what: fc.constantFrom('failed', 'answered', 'lost', 'probe'),
  ms: fc.oneof(fc.nat({ max: 300 }), fc.nat({ max: 30_000 })),
});

it('opens and closes for its reasons only, whatever happens in whatever order', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      let breaker = closedAt(0);
      let now = 0;
      let row = 0;
      for (const { what, ms } of steps) {
        now += ms;
        const before = breaker;
        breaker = next(before, what, now);
        row =
          breaker.isOpen || what === 'answered' || what === 'probe'
            ? 0
            : row + Number(what === 'failed');
        expect(breaker.pauseMs).toBeLessThanOrEqual(PAUSE_MS_MAX);
        if (!before.isOpen && breaker.isOpen) {
          expect(what === 'lost' || before.failures === FAILURES_TO_OPEN - 1).toBe(true);
          expect(breaker.pauseMs).toBeGreaterThanOrEqual(PAUSE_MS_MIN);
        }
        if (before.isOpen && !breaker.isOpen) {
          expect(what).toBe('probe');
          expect(now - before.since).toBeGreaterThanOrEqual(before.pauseMs);
        }
        expect(breaker.failures).toBe(row);
        if (before.isOpen && what === 'probe' && now - before.since >= before.pauseMs)
          expect(breaker.isOpen).toBe(false);
      }
    }),
  );
});

function next(breaker: Breaker, what: Step['what'], now: number): Breaker {
  if (what === 'failed') return failed(breaker, now);
  if (what === 'answered') return answered(breaker);
  return what === 'lost' ? lost(breaker, now) : probeAnswered(breaker, now);
}
