import type { Messages } from './en.ts';
import type { Locale } from './locale.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Numbers and times in one language. */
export interface Format {
  number(value: number): string;
  date(at: number): string;
  dateTime(at: number): string;
  hour(at: number): string;
  shortDate(at: number): string;
  /** `3 minutes ago`, `in 2 days`. */
  relative(at: number, now: number): string;
  /** `1 hour`, `90 seconds`: the largest unit that gives a whole number. */
  duration(seconds: number): string;
  /** As part of a rate: `minute`, `10 minutes`. */
  window(seconds: number): string;
  /** The window of a limit, as part of a rate. */
  windowOf(limit: Window): string;
}

interface Window {
  readonly rateLimitTtl?: number;
  readonly interval?: 'day' | 'week' | 'month';
}

export function createFormat(locale: Locale, { units }: Messages): Format {
  const number = new Intl.NumberFormat(locale);
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
  const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  const hour = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' });
  const shortDate = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });

  const wholeUnits = (seconds: number): [count: number, unit: keyof Messages['units']] => {
    for (const [unit, length] of [
      ['day', 86_400],
      ['hour', 3_600],
      ['minute', 60],
    ] as const)
      if (seconds % length === 0) return [seconds / length, unit];
    return [seconds, 'second'];
  };
  const counted = (count: number, unit: keyof Messages['units']) =>
    `${number.format(count)} ${units[unit][count === 1 ? 0 : 1]}`;

  const window = (seconds: number) => {
    const [count, unit] = wholeUnits(seconds);
    return count === 1 ? units[unit][0]! : counted(count, unit);
  };

  return {
    number: (value) => number.format(value),
    date: (at) => date.format(at),
    dateTime: (at) => dateTime.format(at),
    hour: (at) => hour.format(at),
    shortDate: (at) => shortDate.format(at),
    relative(at, now) {
      const distance = at - now;
      const size = Math.abs(distance);
      if (size < MINUTE_MS) return relative.format(0, 'minute');
      if (size < HOUR_MS) return relative.format(Math.round(distance / MINUTE_MS), 'minute');
      if (size < DAY_MS) return relative.format(Math.round(distance / HOUR_MS), 'hour');
      return relative.format(Math.round(distance / DAY_MS), 'day');
    },
    duration: (seconds) => counted(...wholeUnits(seconds)),
    window,
    windowOf: ({ rateLimitTtl = 0, interval }) =>
      interval === undefined ? window(rateLimitTtl) : units[interval][0]!,
  };
}
