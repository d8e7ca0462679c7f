import { afterAll, describe, expect, it, vi } from 'vitest';
import {
  intervalsFor,
  localBucketName,
  localBuckets,
  localPeriod,
  localPeriodBefore,
} from './local-buckets.ts';
import { DAY, HOUR } from './times.ts';

// Before anything is loaded that knows the zone.
vi.hoisted(() => vi.stubEnv('TZ', 'Europe/Berlin'));
afterAll(() => vi.unstubAllEnvs());

describe('time as the reader has it', () => {
  // Clocks go forward on 31 March 2030, at 01:00 UTC.
  const now = Date.parse('2030-04-02T10:30:00Z');

  it('has whole days of the calendar, one of them shorter', () => {
    const period = localPeriod('7d', now);
    expect(new Date(period.from).toISOString()).toBe('2030-03-26T23:00:00.000Z');
    expect(new Date(period.to).toISOString()).toBe('2030-04-02T22:00:00.000Z');
    const days = localBuckets(period, 'day');
    expect(days).toHaveLength(7);
    const lengths = days.map((at, i) => ((days[i + 1] ?? period.to) - at) / HOUR);
    expect(lengths).toEqual([24, 24, 24, 24, 23, 24, 24]);
    const before = localPeriodBefore(period);
    expect(before.to).toBe(period.from);
    expect(localBuckets(before, 'day')).toHaveLength(7);
  });

  it('takes both days of a range as a whole', () => {
    const period = localPeriod('2030-03-31..2030-03-31', now);
    expect(period.to - period.from).toBe(23 * HOUR);
  });

  it('begins weeks on Monday and months on the first, as the server does', () => {
    const [week] = localBuckets(localPeriod('2030-03-31..2030-04-20', now), 'week');
    expect(localBucketName(week!, 'week')).toBe('Week of 25 Mar');
    const months = localBuckets(localPeriod('2030-01-15..2030-04-02', now), 'month');
    expect(months.map((at) => localBucketName(at, 'month'))).toEqual([
      'Jan 2030',
      'Feb 2030',
      'Mar 2030',
      'Apr 2030',
    ]);
  });

  it('offers intervals that a chart can show', () => {
    const of = (days: number) => intervalsFor({ from: 0, to: days * DAY });
    expect(of(1)).toEqual(['hour']);
    expect(of(7)).toEqual(['hour', 'day']);
    expect(of(30)).toEqual(['day', 'week']);
    expect(of(90)).toEqual(['day', 'week', 'month']);
    expect(of(400)).toEqual(['week', 'month']);
  });
});
