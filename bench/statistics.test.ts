import { describe, expect, it } from 'vitest';
import { median, ratiosOf, summaryOf } from './statistics.ts';

describe('the figures of a run', () => {
  it('takes the middle, whatever the order', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([10, 9, 2, 1])).toBe(5.5);
    expect(median([7])).toBe(7);
  });

  it('sorts by size, not by text', () => {
    expect(median([100, 9, 20])).toBe(20);
  });

  it('has no median of nothing', () => {
    expect(() => median([])).toThrow('nothing');
  });

  it('tells the spread', () => {
    expect(summaryOf([2, 5, 3])).toEqual({ median: 3, min: 2, max: 5 });
  });

  it('compares round by round, not the medians of each side', () => {
    expect(ratiosOf([10, 20, 5], [20, 20, 20])).toEqual([0.5, 1, 0.25]);
    expect(() => ratiosOf([1], [1, 2])).toThrow('both sides');
  });
});
