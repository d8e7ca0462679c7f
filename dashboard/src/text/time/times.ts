import { once } from '../once.ts';
import { zonedFormat } from './time-zone.ts';

const exact = zonedFormat({ dateStyle: 'medium', timeStyle: 'medium' });
const dayWithYear = zonedFormat({ dateStyle: 'medium' });
const relative = once(() => new Intl.RelativeTimeFormat('en', { numeric: 'auto' }));

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const STEPS = [
  { unit: 'second', ms: SECOND, until: 45 * SECOND },
  { unit: 'minute', ms: MINUTE, until: 45 * MINUTE },
  { unit: 'hour', ms: HOUR, until: 22 * HOUR },
  { unit: 'day', ms: DAY, until: 26 * DAY },
  { unit: 'month', ms: 30.44 * DAY, until: 320 * DAY },
  { unit: 'year', ms: 365.25 * DAY, until: Number.POSITIVE_INFINITY },
] as const;

/** `3 minutes ago`, `in 2 days`; a few seconds either way are `now`. */
export function relativeTime(at: number, now: number): string {
  const distance = at - now;
  if (Math.abs(distance) < 5 * SECOND) return 'now';
  const step = STEPS.find(({ until }) => Math.abs(distance) < until)!;
  return relative().format(Math.round(distance / step.ms), step.unit);
}

/**
 * The first date formatter takes a browser tens of milliseconds, because it loads its locale data.
 * Creating it early uses the time while the first responses are loading.
 */
export const prepareTimes = (): void => void exact(0);

export const exactTime = (at: number): string => exact(at);
export const dateText = (at: number): string => dayWithYear(at);

/** A duration in the largest whole unit: `90 seconds`, `10 minutes`, `2 days`. */
export function durationText(seconds: number): string {
  for (const [unit, length] of [
    ['day', 86_400],
    ['hour', 3_600],
    ['minute', 60],
  ] as const) {
    if (seconds >= length && seconds % length === 0) return amount(seconds / length, unit);
  }
  return amount(seconds, 'second');
}

const amount = (value: number, unit: string): string => `${value} ${unit}${value === 1 ? '' : 's'}`;
