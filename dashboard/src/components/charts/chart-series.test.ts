import fc from 'fast-check';
import { expect, it } from 'vitest';
import { axisTicks } from './chart-series.ts';

it('marks an axis from nothing to above the highest value, in few even whole steps', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e12 }), (most) => {
      const ticks = axisTicks(most);
      expect(ticks[0]).toBe(0);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(most);
      expect(ticks.length).toBeGreaterThanOrEqual(2);
      expect(ticks.length).toBeLessThanOrEqual(6);
      for (const [index, tick] of ticks.entries()) {
        expect(Number.isInteger(tick)).toBe(true);
        expect(tick).toBe(index * ticks[1]!);
      }
    }),
  );
});
