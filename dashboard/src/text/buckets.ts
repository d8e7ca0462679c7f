import type { Interval, RangeBounds } from './ranges.ts';
import { DAY, HOUR, utcDayText, utcHourText } from './times.ts';

const STEPS: Record<Interval, number> = { hour: HOUR, day: DAY, week: 7 * DAY };

/** 1 January 1970 was a Thursday: weeks begin on the Monday before. */
const FIRST_MONDAY = -3 * DAY;

/** Where each bucket of a range begins, as the server cuts them (UTC, weeks from Monday). */
export function bucketStarts({ from, to, interval }: RangeBounds): number[] {
  const step = STEPS[interval];
  const origin = interval === 'week' ? FIRST_MONDAY : 0;
  const first = origin + Math.floor((from - origin) / step) * step;
  const count = Math.ceil((to - first) / step);
  return Array.from({ length: count }, (_, index) => first + index * step);
}

/** In UTC, as the buckets are cut: a day that began elsewhere is another day. */
export function bucketName(interval: Interval, at: number): string {
  if (interval === 'hour') return `${utcDayText(at)} ${utcHourText(at)}`;
  return interval === 'day' ? utcDayText(at) : `Week of ${utcDayText(at)}`;
}

/** On the axis: hours of one day, else days. */
export const bucketTick = ({ from, to, interval }: RangeBounds, at: number): string =>
  interval === 'hour' && to - from <= 2 * DAY ? utcHourText(at) : utcDayText(at);
