import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY_MS, floorTo, MINUTE_MS, monthStart, QUARTER_HOUR_MS } from '../usage-kinds.ts';
import { type Grain, segmentsOf } from './segments.ts';

const BASE = Date.UTC(2030, 0, 1);
const LENGTH: Record<string, number> = {
  minutes: MINUTE_MS,
  quarters: QUARTER_HOUR_MS,
  days: DAY_MS,
};

const cases = fc.record({
  fromQuarter: fc.nat(20_000),
  quarters: fc.integer({ min: 1, max: 20_000 }),
  rolledQuarters: fc.nat(50_000),
  behindDays: fc.nat(40),
  grain: fc.constantFrom<Grain>('minutes', 'quarters', 'days', 'months'),
  hasMonths: fc.boolean(),
  isDayPartial: fc.boolean(),
});

test('covers every time with one level, which is complete there and not coarser than requested', () => {
  fc.assert(
    fc.property(
      cases,
      ({ fromQuarter, quarters, rolledQuarters, behindDays, grain, hasMonths, isDayPartial }) => {
        const from = BASE + fromQuarter * QUARTER_HOUR_MS;
        const until = from + quarters * QUARTER_HOUR_MS;
        const quartersUntil = BASE + rolledQuarters * QUARTER_HOUR_MS;
        const daysUntil = floorTo(quartersUntil, DAY_MS) - behindDays * DAY_MS;
        const segments = segmentsOf(from, until, grain, {
          quartersUntil,
          daysUntil,
          hasMonths,
          isDayPartial,
        });
        let at = from;
        for (const segment of segments) {
          expect(segment.from).toBe(at);
          at = segment.until;
          if (segment.level === 'months') {
            expect(monthStart(segment.from)).toBe(segment.from);
            const isWholeMonth = monthStart(segment.until) === segment.until;
            expect(isWholeMonth || (segment.until === daysUntil && !isDayPartial)).toBe(true);
            expect(grain === 'months' && hasMonths).toBe(true);
          } else {
            expect(segment.from % LENGTH[segment.level]!).toBe(0);
            expect(segment.until % LENGTH[segment.level]!).toBe(0);
          }
          if (segment.level === 'quarters') {
            expect(segment.until).toBeLessThanOrEqual(quartersUntil);
            expect(grain).not.toBe('minutes');
          }
          if (segment.level === 'days' || segment.level === 'months') {
            expect(segment.until).toBeLessThanOrEqual(daysUntil);
            expect(['days', 'months']).toContain(grain);
          }
        }
        expect(at).toBe(until);
      },
    ),
    { numRuns: 2_000 },
  );
});

test('reads a year from its months, including the current one unless a day is partly rolled up', () => {
  const ends = [Date.UTC(2030, 0, 1), Date.UTC(2031, 0, 10)] as const;
  const reach = {
    quartersUntil: Date.UTC(2031, 0, 9, 5),
    daysUntil: Date.UTC(2031, 0, 9),
    hasMonths: true,
    isDayPartial: false,
  };
  const levels = (isDayPartial: boolean) =>
    segmentsOf(...ends, 'months', { ...reach, isDayPartial }).map(({ level }) => level);
  expect(levels(false)).toEqual(['months', 'quarters', 'minutes']);
  expect(levels(true)).toEqual(['months', 'days', 'quarters', 'minutes']);
});
