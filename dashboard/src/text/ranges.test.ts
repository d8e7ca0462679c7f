import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PRESETS, parseRange, periodBefore, rangeBounds } from './ranges.ts';
import { DAY, HOUR } from './times.ts';

const moments = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2060, 0, 1) });

describe('ranges', () => {
  it('hold now, are as long as they say, and are cut on whole buckets', () => {
    const presets = fc.constantFrom(...PRESETS);
    fc.assert(
      fc.property(presets, moments, ({ value, ms }, now) => {
        const { from, to, interval } = rangeBounds(value, now);
        expect(to - from).toBe(ms);
        expect(from).toBeLessThanOrEqual(now);
        expect(to).toBeGreaterThan(now);
        expect(to % (interval === 'hour' ? HOUR : DAY)).toBe(0);
      }),
    );
  });

  it('include both days of a pair', () => {
    expect(rangeBounds('2030-01-01..2030-01-02', 0)).toEqual({
      from: Date.UTC(2030, 0, 1),
      to: Date.UTC(2030, 0, 3),
      interval: 'hour',
    });
  });

  it('are followed without a gap by the period before', () => {
    const bounds = rangeBounds('30d', Date.UTC(2030, 0, 1));
    const before = periodBefore(bounds);
    expect(before.to).toBe(bounds.from);
    expect(before.to - before.from).toBe(bounds.to - bounds.from);
  });

  it.each([undefined, 7, '', '8d', '2030-01-02..2030-01-01', '2030-13-01..2030-14-01', '..'])(
    'read %j as the last seven days',
    (text) => {
      expect(parseRange(text)).toBe('7d');
    },
  );

  it('never throw on what stands in an address', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.constant(undefined)), moments, (text, now) => {
        const { from, to } = rangeBounds(parseRange(text), now);
        expect(to).toBeGreaterThan(from);
      }),
    );
  });
});
