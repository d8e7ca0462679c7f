import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { periodOf } from './periods.ts';
import { PRESETS, parseRange } from './ranges.ts';
import { DAY } from './times.ts';

const moments = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2060, 0, 1) });

describe('range', () => {
  it('contains the current time and has the right length', () => {
    const presets = fc.constantFrom(...PRESETS);
    fc.assert(
      fc.property(presets, moments, ({ value, ms }, now) => {
        const { from, to } = periodOf(value, now);
        expect(Math.round((to - from) / DAY)).toBe(ms / DAY);
        expect(from).toBeLessThanOrEqual(now);
        expect(to).toBeGreaterThan(now);
      }),
    );
  });

  it.each([undefined, 7, '', '8d', '2030-01-02..2030-01-01', '2030-13-01..2030-14-01', '..'])(
    'parsed from %j is the last seven days',
    (text) => {
      expect(parseRange(text)).toBe('7d');
    },
  );

  it('never throws for any URL', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.constant(undefined)), moments, (text, now) => {
        const { from, to } = periodOf(parseRange(text), now);
        expect(to).toBeGreaterThan(from);
      }),
    );
  });
});
