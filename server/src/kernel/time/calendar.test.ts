import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { calendarPeriod } from './calendar.ts';

const iso = (ms: number) => new Date(ms).toISOString();
const period = (at: string, unit: 'day' | 'week' | 'month', zone: string) => {
  const { start, end } = calendarPeriod(Date.parse(at), unit, zone);
  return [iso(start), iso(end)];
};

test.each<[at: string, unit: 'day' | 'week' | 'month', zone: string, start: string, end: string]>([
  // 2030-01-01 is a Tuesday.
  ['2030-01-01T12:00:00Z', 'week', 'Europe/Berlin', '2029-12-30T23:00Z', '2030-01-06T23:00Z'],
  ['2030-03-31T12:00:00Z', 'month', 'Europe/Berlin', '2030-02-28T23:00Z', '2030-03-31T22:00Z'],
  // Midnight is skipped: the day begins at 01:00.
  ['2018-11-04T12:00:00Z', 'day', 'America/Sao_Paulo', '2018-11-04T03:00Z', '2018-11-05T02:00Z'],
  // At 00:01 on 7 November, the clock is set back to 23:01 and shows the 6th again.
  ['2010-11-07T02:45:00Z', 'day', 'America/St_Johns', '2010-11-07T02:30Z', '2010-11-08T03:30Z'],
  // 30 December 2011 did not exist in Apia.
  ['2011-12-30T09:59:00Z', 'day', 'Pacific/Apia', '2011-12-29T10:00Z', '2011-12-30T10:00Z'],
])('the period of %s: %s in %s', (at, unit, zone, start, end) => {
  expect(period(at, unit, zone)).toEqual([iso(Date.parse(start)), iso(Date.parse(end))]);
});

it('contains its time, and ends where the next one begins', () => {
  const zones = ['Europe/Berlin', 'America/St_Johns', 'America/Sao_Paulo', 'Asia/Beirut', 'UTC'];
  fc.assert(
    fc.property(
      fc.constantFrom(...zones, 'Pacific/Apia', 'Africa/Cairo', 'America/Havana'),
      fc.constantFrom('day' as const, 'week' as const, 'month' as const),
      fc.integer({ min: Date.UTC(2009, 0), max: Date.UTC(2035, 0) }),
      (zone, unit, ms) => {
        const { start, end } = calendarPeriod(ms, unit, zone);
        expect(start).toBeLessThanOrEqual(ms);
        expect(end).toBeGreaterThan(ms);
        expect(calendarPeriod(end, unit, zone).start).toBe(end);
        expect(calendarPeriod(start, unit, zone)).toEqual({ start, end });
      },
    ),
  );
});
