import fc from 'fast-check';
import { expect, it } from 'vitest';
import { UnmergedCounts } from './unmerged-counts.ts';

const count = (counter: string, amount: number, resetAt: number, slidingMs = 0) => ({
  ...{ counter, amount, resetAt, slidingMs },
});

it('adds counts up, and drops a counter whose sum is 0', () => {
  const counts = new UnmergedCounts();
  counts.add(count('a', 2, 100), 0);
  counts.add(count('a', 3, 100), 0);
  counts.add(count('b', 1, 100), 0);
  counts.add(count('b', -1, 100), 0);
  expect(counts.size).toBe(1);
  expect(counts.takeOne('a', 50)).toEqual(count('a', 5, 100));
  expect(counts.takeOne('a', 50)).toBeUndefined();
  expect(counts.takeOne('b', 50)).toBeUndefined();
});

it('discards counts of closed windows', () => {
  const counts = new UnmergedCounts();
  counts.add(count('a', 2, 100), 0);
  counts.add(count('a', 1, 200), 100);
  expect(counts.takeOne('a', 150)).toEqual(count('a', 1, 200));
  counts.add(count('b', 1, 300), 150);
  expect(counts.takeOne('b', 300)).toBeUndefined();
  counts.add(count('c', 1, 300), 300);
  expect(counts.size).toBe(0);
  counts.add(count('d', 1, 400), 300);
  expect(counts.takeSome(10, 400)).toEqual([]);
});

it('keeps the end of the window when an amount is subtracted', () => {
  const counts = new UnmergedCounts();
  counts.add(count('a', -1, 60_000), 0);
  counts.add(count('a', 3, 100), 0);
  counts.add(count('a', -1, 60_000), 0);
  expect(counts.takeSome(10, 0)).toEqual([count('a', 1, 100)]);
});

it('holds no more counts than there are open windows', () => {
  const counts = new UnmergedCounts();
  for (let now = 0; now < 10_000; now++) counts.add(count(`group ${now}`, 1, now + 100), now);
  expect(counts.size).toBeLessThanOrEqual(250);
});

it('returns every count once, in pieces of the requested size', () => {
  const groups = fc.array(fc.nat({ max: 50 }), { maxLength: 200 });
  fc.assert(
    fc.property(groups, fc.integer({ min: 1, max: 20 }), (list, max) => {
      const counts = new UnmergedCounts();
      for (const group of list) counts.add(count(String(group), 1, 1_000), 0);
      const total = new Map<string, number>();
      while (counts.size > 0) {
        const some = counts.takeSome(max, 0);
        expect(some.length).toBeLessThanOrEqual(max);
        for (const { counter: group, amount } of some) {
          expect(total.has(group)).toBe(false);
          total.set(group, amount);
        }
      }
      expect([...total.values()].reduce((sum, amount) => sum + amount, 0)).toBe(list.length);
    }),
  );
});
