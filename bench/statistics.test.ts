import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { median, medianInterval, quantile, ratiosOf, trendOf } from './statistics.ts';

describe('figures of rounds', () => {
  it('have a median, also of an even number', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 3])).toBe(2.5);
    expect(() => median([])).toThrow();
  });

  it('have quantiles that are values of theirs', () => {
    const values = Array.from({ length: 100 }, (_, n) => 100 - n);
    expect(quantile(values, 0.99)).toBe(99);
    expect(quantile(values, 1)).toBe(100);
    expect(quantile(values, 0)).toBe(1);
    expect(quantile([7], 0.999)).toBe(7);
    expect(() => quantile([], 0.5)).toThrow();
  });

  it('are compared round by round', () => {
    expect(ratiosOf([1, 4], [2, 2])).toEqual([0.5, 2]);
    expect(() => ratiosOf([1], [1, 2])).toThrow();
  });
});

describe('the interval of a median', () => {
  it('is all of them while they are few', () => {
    expect(medianInterval([5, 1, 3])).toEqual({ low: 1, high: 5 });
    expect(medianInterval([1, 2, 3, 4, 5])).toEqual({ low: 1, high: 5 });
  });

  it('takes the ranks that tables of the sign test give', () => {
    const upTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1);
    expect(medianInterval(upTo(6))).toEqual({ low: 1, high: 6 });
    expect(medianInterval(upTo(9))).toEqual({ low: 2, high: 8 });
    expect(medianInterval(upTo(20))).toEqual({ low: 6, high: 15 });
    expect(medianInterval(upTo(25))).toEqual({ low: 8, high: 18 });
  });

  it('holds the median, whatever the values', () => {
    const values = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1 });
    fc.assert(
      fc.property(values, (some) => {
        const { low, high } = medianInterval(some);
        expect(low).toBeLessThanOrEqual(median(some));
        expect(high).toBeGreaterThanOrEqual(median(some));
      }),
    );
  });
});

describe('the line through values over time', () => {
  const points = (valueAt: (at: number) => number) =>
    Array.from({ length: 60 }, (_, at) => ({ at, value: valueAt(at) }));

  it('is found exactly where there is one', () => {
    const { slope, rise, noise } = trendOf(points((at) => 100 + 2 * at));
    expect(slope).toBeCloseTo(2);
    expect(rise).toBeCloseTo(118);
    expect(noise).toBeCloseTo(0);
  });

  it('is not moved by a few peaks, nor is its noise', () => {
    const { slope, noise } = trendOf(points((at) => (at % 10 === 9 ? 1_000 : 100)));
    expect(slope).toBe(0);
    expect(noise).toBe(0);
  });

  it('knows how far values lie from it', () => {
    const { slope, noise } = trendOf(points((at) => (at % 2 === 0 ? 99 : 101)));
    expect(Math.abs(slope)).toBeLessThan(0.1);
    expect(noise).toBeGreaterThan(1);
    expect(noise).toBeLessThan(3.1);
  });
});
