import { expect, it } from 'vitest';
import { LimitWatch } from './limit-watch.ts';

const HOUR = 3_600_000;

/** Counts a request as the validator does. */
const at = (watch: LimitWatch, consumed: number, now: number, windowEnds: number, limit = 10) =>
  consumed >= watch.nextCount || now >= watch.recheckAt
    ? watch.thresholdToAnnounce(consumed, limit, windowEnds, now)
    : undefined;

it('announces each threshold once in a window', () => {
  const watch = new LimitWatch([80, 100], 10);
  const day = 24 * HOUR;
  const found = Array.from({ length: 12 }, (_, n) => at(watch, Math.min(n + 1, 10), n, day));
  expect(found).toEqual([...Array(7).fill(undefined), 80, undefined, 100, undefined, undefined]);
  expect([7, 8, 10].map((consumed) => at(watch, consumed, day, 2 * day))).toEqual([null, 80, 100]);
});

it('announces a threshold of short windows at most once an hour', () => {
  const watch = new LimitWatch([80, 100], 10);
  expect(at(watch, 8, 0, 1_000)).toBe(80);
  expect(at(watch, 8, 1_500, 2_000)).toBe(undefined);
  expect(at(watch, 10, HOUR / 2, HOUR / 2 + 1_000)).toBe(100);
  expect(at(watch, 10, HOUR - 1, HOUR + 999) ?? null).toBe(null);
  // 100 % is reached in this window, so 80 % is not announced.
  expect(at(watch, 10, HOUR, HOUR + 999) ?? null).toBe(null);
  expect(at(watch, 8, HOUR + 1_000, HOUR + 2_000)).toBe(80);
  expect(at(watch, 10, 1.5 * HOUR, 2 * HOUR)).toBe(100);
});

it('announces only the largest of several thresholds that are reached at once', () => {
  const watch = new LimitWatch([50, 80, 100], 1);
  expect(at(watch, 1, 0, 1_000, 1)).toBe(100);
  expect(at(watch, 1, 1, 1_000, 1)).toBe(undefined);
});

it('is not consulted between thresholds', () => {
  const watch = new LimitWatch([80], 10);
  expect(at(watch, 7, 0, 1_000)).toBe(undefined);
  at(watch, 8, 0, 1_000);
  expect(at(watch, 10, 999, 1_000)).toBe(undefined);
});
