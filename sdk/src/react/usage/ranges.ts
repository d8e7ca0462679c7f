import type { PortalUsageQuery, PortalUsageRow } from '../client/records.ts';

export type UsageRange = 'day' | 'week' | 'month';
export const USAGE_RANGES: readonly UsageRange[] = ['day', 'week', 'month'];

const HOUR_MS = 3_600_000;
const HOURS = 24;
const DAYS = { week: 7, month: 30 };

const startOfHour = (at: number): number => at - (at % HOUR_MS);

/** Midnight of a day before `now`, in the time zone of the browser. */
function startOfDay(now: number, daysBefore: number): number {
  const day = new Date(now);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() - daysBefore).getTime();
}

/** The starts of the buckets in a range, oldest first. Days may have 23 or 25 hours. */
export function bucketStarts(range: UsageRange, now: number): number[] {
  if (range === 'day')
    return Array.from(
      { length: HOURS },
      (_, index) => startOfHour(now) - (HOURS - 1 - index) * HOUR_MS,
    );
  const days = DAYS[range];
  return Array.from({ length: days }, (_, index) => startOfDay(now, days - 1 - index));
}

export const usageQuery = (range: UsageRange, now: number, keyId?: string): PortalUsageQuery => ({
  interval: range === 'day' ? 'hour' : 'day',
  from: new Date(bucketStarts(range, now)[0]!).toISOString(),
  timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  ...(keyId !== undefined && { key: keyId }),
});

export interface UsageBucket {
  readonly at: number;
  readonly accepted: number;
  readonly rejected: number;
}

/** Adds up the rows of each bucket, and fills the gaps with zeros. */
export function usageBuckets(
  range: UsageRange,
  now: number,
  rows: readonly PortalUsageRow[],
): UsageBucket[] {
  const starts = bucketStarts(range, now);
  const buckets = starts.map((at) => ({ at, accepted: 0, rejected: 0 }));
  for (const { date, total, valid } of rows) {
    const at = Date.parse(date);
    const bucket = buckets[starts.findLastIndex((start) => start <= at)];
    if (!bucket) continue;
    bucket.accepted += valid;
    bucket.rejected += total - valid;
  }
  return buckets;
}
