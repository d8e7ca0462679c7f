import { afterAll, describe, expect, it, vi } from 'vitest';
import { bucketName, bucketStarts, intervalsFor, periodOf, previousPeriod } from '../periods.ts';
import { DAY, HOUR } from '../times.ts';

// Before any module that reads the time zone is loaded.
vi.hoisted(() => vi.stubEnv('TZ', 'Europe/Berlin'));
afterAll(() => vi.unstubAllEnvs());

describe('periods in the local time zone', () => {
  // Clocks go forward on 31 March 2030, at 01:00 UTC.
  const now = Date.parse('2030-04-02T10:30:00Z');

  it('consist of whole calendar days, one of them shorter', () => {
    const period = periodOf('7d', now);
    expect(new Date(period.from).toISOString()).toBe('2030-03-26T23:00:00.000Z');
    expect(new Date(period.to).toISOString()).toBe('2030-04-02T22:00:00.000Z');
    const days = bucketStarts(period, 'day', now);
    expect(days).toHaveLength(7);
    const lengths = days.map((at, i) => ((days[i + 1] ?? period.to) - at) / HOUR);
    expect(lengths).toEqual([24, 24, 24, 24, 23, 24, 24]);
    expect(bucketStarts(period, 'hour', now).at(-1)).toBe(Date.parse('2030-04-02T10:00:00Z'));
    const before = previousPeriod(period);
    expect(before.to).toBe(period.from);
    expect(bucketStarts(before, 'day', now)).toHaveLength(7);
  });

  it('include both days of a range', () => {
    const period = periodOf('2030-03-31..2030-03-31', now);
    expect(period.to - period.from).toBe(23 * HOUR);
  });

  it('start weeks on Monday and months on the first, as the server does', () => {
    const [week] = bucketStarts(
      periodOf('2030-03-31..2030-04-20', now),
      'week',
      Number.POSITIVE_INFINITY,
    );
    expect(bucketName(week!, 'week')).toBe('Week of 25 Mar');
    const months = bucketStarts(
      periodOf('2030-01-15..2030-04-02', now),
      'month',
      Number.POSITIVE_INFINITY,
    );
    expect(months.map((at) => bucketName(at, 'month'))).toEqual([
      'Jan 2030',
      'Feb 2030',
      'Mar 2030',
      'Apr 2030',
    ]);
  });

  it('offer intervals that a chart can show', () => {
    const of = (days: number) => intervalsFor({ from: 0, to: days * DAY });
    expect(of(1)).toEqual(['hour']);
    expect(of(7)).toEqual(['hour', 'day']);
    expect(of(30)).toEqual(['day', 'week']);
    expect(of(90)).toEqual(['day', 'week', 'month']);
    expect(of(400)).toEqual(['week', 'month']);
  });
});
