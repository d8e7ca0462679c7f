import { periodAt } from '@keyward/rules/calendar.ts';
import { DAY_MS, floorTo, HOUR_MS, MINUTE_MS, monthStart } from '../usage-kinds.ts';

export const INTERVALS = ['minute', 'hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof INTERVALS)[number];

export interface Bucket {
  readonly start: number;
  readonly end: number;
}

/** Returns the bucket that contains a time. */
export type BucketAt = (ms: number) => Bucket;

/** 1970-01-05 was a Monday. */
const FIRST_MONDAY = 4 * DAY_MS;
const WEEK_MS = 7 * DAY_MS;

const UTC_NAMES = new Set(['utc', 'etc/utc']);

export const isUtc = (timeZone: string): boolean => UTC_NAMES.has(timeZone.toLowerCase());

/**
 * Minutes and hours are UTC in every time zone. Days, weeks and months are those of the time zone, so a day
 * may have 23 or 25 hours.
 */
export function bucketsOf(interval: Interval, timeZone: string): BucketAt {
  const find =
    isUtc(timeZone) || interval === 'minute' || interval === 'hour'
      ? utcBucket(interval)
      : (ms: number) => periodAt(ms, { interval, timezone: timeZone });
  // Rows mostly arrive in time order, so consecutive ones share a bucket.
  let last: Bucket = { start: 0, end: 0 };
  return (ms) => {
    if (ms < last.start || ms >= last.end) last = find(ms);
    return last;
  };
}

function utcBucket(interval: Interval): BucketAt {
  switch (interval) {
    case 'minute':
      return evenBucket(MINUTE_MS, 0);
    case 'hour':
      return evenBucket(HOUR_MS, 0);
    case 'day':
      return evenBucket(DAY_MS, 0);
    case 'week':
      return evenBucket(WEEK_MS, FIRST_MONDAY);
    case 'month':
      return (ms) => {
        const start = monthStart(ms);
        return { start, end: monthStart(start + 32 * DAY_MS) };
      };
  }
}

const evenBucket =
  (length: number, offset: number): BucketAt =>
  (ms) => {
    const start = floorTo(ms - offset, length) + offset;
    return { start, end: start + length };
  };

/** All buckets between two times, both of which are the start of a bucket. */
export function* bucketsBetween(
  bucketAt: BucketAt,
  from: number,
  until: number,
): Generator<Bucket> {
  for (let at = from; at < until; ) {
    const bucket = bucketAt(at);
    yield bucket;
    at = bucket.end;
  }
}

const LENGTH_MS_MIN: Record<Interval, number> = {
  minute: MINUTE_MS,
  hour: HOUR_MS,
  day: DAY_MS,
  week: WEEK_MS,
  month: 28 * DAY_MS,
};

/** An upper bound of the number of buckets. */
export const bucketCountMax = (interval: Interval, from: number, until: number): number =>
  Math.ceil((until - from) / LENGTH_MS_MIN[interval]) + 1;
