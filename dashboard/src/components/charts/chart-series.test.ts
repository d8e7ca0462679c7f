import fc from 'fast-check';
import { expect, it } from 'vitest';
import { axisTicks } from './chart-series.ts';

it('places axis ticks from zero to at least the highest value, in few even integer steps', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e12 }), (max) => {
      const ticks = axisTicks(max);
      expect(ticks[0]).toBe(0);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(max);
      expect(ticks.length).toBeGreaterThanOrEqual(2);
      expect(ticks.length).toBeLessThanOrEqual(6);
      for (const [index, tick] of ticks.entries()) {
        expect(Number.isInteger(tick)).toBe(true);
        expect(tick).toBe(index * ticks[1]!);
      }
    }),
  );
});
