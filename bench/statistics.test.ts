import { describe, expect, it } from 'vitest';
import { median, quantile, ratios } from './statistics.ts';

describe('benchmark statistics', () => {
  it('takes the middle value, or the mean of the two middle values', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(() => median([])).toThrow('No values');
  });

  it('takes the value that a fraction of the values does not exceed', () => {
    const values = Array.from({ length: 100 }, (_, n) => 100 - n);
    expect(quantile(values, 0.99)).toBe(99);
    expect(quantile([7], 0.5)).toBe(7);
    expect(() => quantile([], 0.5)).toThrow('No values');
  });

  it('divides round by round and refuses a round with one side', () => {
    expect(ratios([2, 9], [1, 3])).toEqual([2, 3]);
    expect(() => ratios([1], [1, 2])).toThrow('only one side');
  });
});
