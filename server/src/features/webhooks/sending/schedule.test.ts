import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RETRY_AFTER_MS_MAX } from '../transport/retry-after.ts';
import { FAILING_MS_MAX, failureVerdict, nextAttemptAt, RETRY_DELAYS } from './schedule.ts';

const NOW = 1_800_000_000_000;
const random01 = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const attempts = fc.integer({ min: 1, max: RETRY_DELAYS.length });

describe('the next attempt', () => {
  it('waits 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h, then gives up', () => {
    const minutes = [1, 2, 3, 4, 5, 6, 7, 8].map((made) => {
      const at = nextAttemptAt(made, NOW, 0.5, null);
      return at === null ? null : (at - NOW) / 60_000;
    });
    expect(minutes).toEqual([5 / 60, 5, 30, 120, 300, 600, 600, null]);
  });

  it('stays within 20 % of its delay, on both sides of it', () => {
    fc.assert(
      fc.property(attempts, random01, (made, random) => {
        const share = (nextAttemptAt(made, NOW, random, null)! - NOW) / RETRY_DELAYS[made - 1]!;
        expect(share).toBeGreaterThanOrEqual(0.8);
        expect(share).toBeLessThanOrEqual(1.2);
      }),
    );
    expect(nextAttemptAt(1, NOW, 0, null)).toBe(NOW + 4000);
    expect(nextAttemptAt(1, NOW, 1, null)).toBe(NOW + 6000);
  });

  it('is never earlier than Retry-After, nor earlier than without it', () => {
    fc.assert(
      fc.property(
        attempts,
        random01,
        fc.integer({ min: 0, max: RETRY_AFTER_MS_MAX }),
        (made, random, wait) => {
          const at = nextAttemptAt(made, NOW, random, wait)!;
          const without = nextAttemptAt(made, NOW, random, null)!;
          expect(at).toBe(Math.max(without, NOW + wait));
        },
      ),
    );
  });

  it('waits at most a day for Retry-After', () => {
    expect(nextAttemptAt(1, NOW, 0.5, Number.MAX_SAFE_INTEGER)).toBe(NOW + 24 * 3_600_000);
  });

  it('does not exist after the last attempt, even with Retry-After', () => {
    expect(nextAttemptAt(RETRY_DELAYS.length + 1, NOW, 0.5, 1000)).toBeNull();
    expect(nextAttemptAt(1000, NOW, 0.5, null)).toBeNull();
  });

  it('is a whole number of milliseconds', () => {
    fc.assert(
      fc.property(attempts, random01, (made, random) => {
        expect(Number.isSafeInteger(nextAttemptAt(made, NOW, random, null))).toBe(true);
      }),
    );
  });
});

describe('the five-day rule', () => {
  it('disables after five days of nothing but failure', () => {
    const fiveDays = 5 * 24 * 3_600_000;
    expect(FAILING_MS_MAX).toBe(fiveDays);
    expect(failureVerdict({ failingSince: NOW - fiveDays, now: NOW })).toBe('disable');
    expect(failureVerdict({ failingSince: NOW - fiveDays + 1, now: NOW })).toBe('keep');
  });

  it('keeps a webhook whose last delivery succeeded', () => {
    expect(failureVerdict({ failingSince: null, now: NOW })).toBe('keep');
  });
});
