import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bucketStarts } from './buckets.ts';
import { DAY } from './times.ts';

const bounds = fc
  .record({
    from: fc.integer({ min: 0, max: 30_000 }),
    days: fc.integer({ min: 1, max: 400 }),
    interval: fc.constantFrom('hour', 'day', 'week'),
  })
  .map(({ from, days, interval }) => ({
    from: from * DAY,
    to: (from + days) * DAY,
    interval: interval as 'hour' | 'day' | 'week',
  }));

it('covers a range from its first bucket to its last, without a gap', () => {
  fc.assert(
    fc.property(bounds, (range) => {
      const starts = bucketStarts(range);
      const step = starts.length > 1 ? starts[1]! - starts[0]! : 7 * DAY;
      expect(starts[0]).toBeLessThanOrEqual(range.from);
      expect(starts[0]! + step).toBeGreaterThan(range.from);
      expect(starts.at(-1)).toBeLessThan(range.to);
      expect(starts.at(-1)! + step).toBeGreaterThanOrEqual(range.to);
      for (const [index, start] of starts.entries()) expect(start).toBe(starts[0]! + index * step);
      if (range.interval === 'week') expect(new Date(starts[0]!).getUTCDay()).toBe(1);
    }),
  );
});
