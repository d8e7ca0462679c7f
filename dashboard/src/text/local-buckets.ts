import { localMoment } from './expiry.ts';
import { once } from './once.ts';
import { PRESETS, type Range } from './ranges.ts';
import { DAY, HOUR } from './times.ts';

/** Days, weeks and months of the reader's own calendar; hours are the same everywhere. */
export type LocalInterval = 'hour' | 'day' | 'week' | 'month';

export interface Period {
  readonly from: number;
  readonly to: number;
}

export const timeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** A range in the time of the reader: the last 24 hours, or whole days up to and with today. */
export function localPeriod(range: Range, now: number): Period {
  if (range === '24h') {
    const to = Math.floor(now / HOUR) * HOUR + HOUR;
    return { from: to - DAY, to };
  }
  if (range === 'month' || range === 'last-month') {
    const start = monthStart(now, range === 'month' ? 0 : -1);
    return { from: start, to: range === 'month' ? moved(dayStart(now), 1) : monthStart(now, 0) };
  }
  const preset = PRESETS.find(({ value }) => value === range);
  if (preset) {
    const to = moved(dayStart(now), 1);
    return { from: moved(to, -preset.ms / DAY), to };
  }
  const [first, last] = range.split('..').map((day) => Date.parse(`${day}T00:00`));
  return { from: first!, to: moved(last!, 1) };
}

/** As many days just before, by the calendar: one of them may have 23 or 25 hours. */
export function localPeriodBefore({ from, to }: Period): Period {
  const days = Math.round((to - from) / DAY);
  const isWholeDays = dayStart(from) === from && dayStart(to) === to;
  return { from: isWholeDays ? moved(from, -days) : from - (to - from), to: from };
}

/** Those that make sense for a period: a chart shows some two hundred buckets at most. */
export function intervalsFor({ from, to }: Period): readonly LocalInterval[] {
  const days = (to - from) / DAY;
  const intervals: LocalInterval[] = [];
  if (days <= 8.5) intervals.push('hour');
  if (days >= 2 && days <= 200) intervals.push('day');
  if (days >= 13) intervals.push('week');
  if (days >= 60) intervals.push('month');
  return intervals;
}

/** Where each bucket begins: as the server cuts them for the reader's time zone. */
export function localBuckets({ from, to }: Period, interval: LocalInterval): number[] {
  const starts: number[] = [];
  for (let at = bucketStart(from, interval); at < to; at = nextBucket(at, interval))
    starts.push(at);
  return starts;
}

function bucketStart(at: number, interval: LocalInterval): number {
  if (interval === 'hour') return Math.floor(at / HOUR) * HOUR;
  const day = dayStart(at);
  if (interval === 'day') return day;
  if (interval === 'week') return moved(day, -((new Date(day).getDay() + 6) % 7));
  const date = new Date(day);
  return new Date(date.getFullYear(), date.getMonth(), 1).getTime();
}

function nextBucket(at: number, interval: LocalInterval): number {
  if (interval === 'hour') return at + HOUR;
  if (interval === 'day') return moved(at, 1);
  if (interval === 'week') return moved(at, 7);
  const date = new Date(at);
  return new Date(date.getFullYear(), date.getMonth() + 1, 1).getTime();
}

const monthStart = (at: number, months: number): number => {
  const date = new Date(at);
  return new Date(date.getFullYear(), date.getMonth() + months, 1).getTime();
};

const dayStart = (at: number): number => new Date(at).setHours(0, 0, 0, 0);

/** So many days on by the calendar, at the start of that day. */
function moved(at: number, days: number): number {
  const date = new Date(at);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days).getTime();
}

const day = once(() => new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' }));
const hour = once(() => new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' }));
const month = once(() => new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric' }));

export function localBucketName(at: number, interval: LocalInterval): string {
  if (interval === 'hour') return `${day().format(at)} ${hour().format(at)}`;
  if (interval === 'month') return month().format(at);
  return interval === 'week' ? `Week of ${day().format(at)}` : day().format(at);
}

/** On the axis: hours of one day, else days. */
export function localTick(at: number, interval: LocalInterval, { from, to }: Period): string {
  if (interval === 'hour' && to - from <= 2 * DAY) return hour().format(at);
  return interval === 'month' ? month().format(at) : day().format(at);
}

/** `2030-01-01_2030-01-07`: for the name of a file. */
export const periodDays = ({ from, to }: Period): string => [from, to - 1].map(dayText).join('_');

/** `2030-01-31`, of the reader's calendar. */
export const dayText = (at: number): string => localMoment(at).slice(0, 10);

/** `1 Jan – 7 Jan`: the last day included. */
export const periodText = ({ from, to }: Period): string =>
  `${day().format(from)} – ${day().format(to - 1)}`;
