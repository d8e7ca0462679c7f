import { describe, expect, it } from 'vitest';
import { roundsWithin, shareOf } from './budget.ts';

/** Rounds that take so many seconds each, on a clock of their own. */
function countOf(lengths: readonly number[], limits: { least: number; most: number }, end: number) {
  let now = 0;
  let count = 0;
  for (const round of roundsWithin(limits, end, () => now)) {
    now += lengths[round % lengths.length]!;
    count++;
  }
  return count;
}

describe('rounds within a budget', () => {
  it('are as many as must be, however late it is', () => {
    expect(countOf([100], { least: 5, most: 9 }, 10)).toBe(5);
  });

  it('go on while another one ends in time', () => {
    expect(countOf([10], { least: 2, most: 9 }, 65)).toBe(6);
    expect(countOf([10, 20], { least: 1, most: 9 }, 65)).toBe(4);
  });

  it('end when there are plenty', () => {
    expect(countOf([1], { least: 2, most: 9 }, 1_000)).toBe(9);
  });
});

describe('the share of what is left', () => {
  it('is what was asked for while there is enough for all', () => {
    expect(shareOf(100, [30, 70])).toBe(30);
    expect(shareOf(500, [30, 70])).toBe(30);
  });

  it('is less for everybody when there is not', () => {
    expect(shareOf(50, [30, 70])).toBe(15);
    expect(shareOf(35, [70])).toBe(35);
  });
});
