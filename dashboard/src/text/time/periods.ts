import { PRESETS, type Range } from './ranges.ts';
import { isUtc, zonedFormat } from './time-zone.ts';
import { DAY, HOUR } from './times.ts';

/** Days, weeks and months are in the selected time zone. */
export type Interval = 'hour' | 'day' | 'week' | 'month';

export interface Period {
  readonly from: number;
  readonly to: number;
}

/** Start and end of a range: the last 24 hours, or whole days. */
export function periodOf(range: Range, now: number): Period {
  if (range === '24h') {
    const to = Math.floor(now / HOUR) * HOUR + HOUR;
    return { from: to - DAY, to };
  }
  if (range === 'month' || range === 'last-month') {
    const { year, month } = partsOf(now);
    return range === 'month'
      ? { from: timeOf(year, month, 1), to: startOfDayAfter(now, 1) }
      : { from: timeOf(year, month - 1, 1), to: timeOf(year, month, 1) };
  }
  const preset = PRESETS.find(({ value }) => value === range);
  if (preset) {
    const to = startOfDayAfter(dayStart(now), 1);
    return { from: startOfDayAfter(to, -preset.ms / DAY), to };
  }
  const [first, last] = range
    .split('..')
    .map((day) => Date.parse(`${day}T00:00${isUtc() ? 'Z' : ''}`));
  return { from: first!, to: startOfDayAfter(last!, 1) };
}

/** The same number of calendar days before it. A day may have 23 or 25 hours. */
export function previousPeriod({ from, to }: Period): Period {
  const days = Math.round((to - from) / DAY);
  const isWholeDays = dayStart(from) === from && dayStart(to) === to;
  return { from: isWholeDays ? startOfDayAfter(from, -days) : from - (to - from), to: from };
}

/** Possible intervals of a period. A chart shows at most about 200 buckets. */
export function intervalsFor({ from, to }: Period): readonly Interval[] {
  const days = (to - from) / DAY;
  const intervals: Interval[] = [];
  if (days <= 8.5) intervals.push('hour');
  if (days >= 2 && days <= 200) intervals.push('day');
  if (days >= 13) intervals.push('week');
  if (days >= 60) intervals.push('month');
  return intervals;
}

/** Starts of the buckets until now, the same as on the server for the selected time zone. */
export function bucketStarts({ from, to }: Period, interval: Interval, now: number): number[] {
  const starts: number[] = [];
  const end = Math.min(to, now + 1);
  for (let at = bucketStart(from, interval); at < end; at = nextBucket(at, interval))
    starts.push(at);
  return starts;
}

function bucketStart(at: number, interval: Interval): number {
  if (interval === 'hour') return Math.floor(at / HOUR) * HOUR;
  const { year, month, day, weekday } = partsOf(at);
  if (interval === 'day') return timeOf(year, month, day);
  if (interval === 'week') return timeOf(year, month, day - ((weekday + 6) % 7));
  return timeOf(year, month, 1);
}

function nextBucket(at: number, interval: Interval): number {
  if (interval === 'hour') return at + HOUR;
  if (interval === 'day') return startOfDayAfter(at, 1);
  if (interval === 'week') return startOfDayAfter(at, 7);
  const { year, month } = partsOf(at);
  return timeOf(year, month + 1, 1);
}

function partsOf(at: number) {
  const date = new Date(at);
  return isUtc()
    ? {
        year: date.getUTCFullYear(),
        month: date.getUTCMonth(),
        day: date.getUTCDate(),
        weekday: date.getUTCDay(),
      }
    : {
        year: date.getFullYear(),
        month: date.getMonth(),
        day: date.getDate(),
        weekday: date.getDay(),
      };
}

const timeOf = (year: number, month: number, day: number): number =>
  isUtc() ? Date.UTC(year, month, day) : new Date(year, month, day).getTime();

const dayStart = (at: number): number => startOfDayAfter(at, 0);

/** The start of the day, `days` calendar days later. */
export function startOfDayAfter(at: number, days: number): number {
  const { year, month, day } = partsOf(at);
  return timeOf(year, month, day + days);
}

const dayText = zonedFormat({ day: 'numeric', month: 'short' });
const hourText = zonedFormat({ hour: '2-digit', minute: '2-digit' });
const monthText = zonedFormat({ month: 'short', year: 'numeric' });

export function bucketName(at: number, interval: Interval): string {
  if (interval === 'hour') return `${dayText(at)} ${hourText(at)}`;
  if (interval === 'month') return monthText(at);
  return interval === 'week' ? `Week of ${dayText(at)}` : dayText(at);
}

/** Label on the axis: hours in a short period, otherwise days or months. */
export function bucketTick(at: number, interval: Interval, { from, to }: Period): string {
  if (interval === 'hour' && to - from <= 2 * DAY) return hourText(at);
  return interval === 'month' ? monthText(at) : dayText(at);
}

/** `1 Jan – 7 Jan`, including the last day. */
export const periodText = ({ from, to }: Period): string => `${dayText(from)} – ${dayText(to - 1)}`;

/** `2030-01-01_2030-01-07`, for a file name. */
export const periodDays = ({ from, to }: Period): string => [from, to - 1].map(isoDay).join('_');

/** `2030-01-31`, in the selected time zone. */
export function isoDay(at: number): string {
  const { year, month, day } = partsOf(at);
  return new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10);
}
