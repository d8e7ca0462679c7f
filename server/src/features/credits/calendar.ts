/// <reference lib="esnext.temporal" />
import { calendarPeriod } from '../../kernel/time/calendar.ts';

export const REFILL_INTERVALS = ['hour', 'day', 'week', 'month'] as const;
export type RefillInterval = (typeof REFILL_INTERVALS)[number];

const HOUR_MS = 3_600_000;

/** The next start of a calendar interval after `after`. */
export function nextRefill(after: number, interval: RefillInterval, timeZone: string): number {
  return interval === 'hour'
    ? nextHour(Temporal.Instant.fromEpochMilliseconds(after).toZonedDateTimeISO(timeZone))
    : calendarPeriod(after, interval, timeZone).end;
}

/**
 * An hour begins when the local clock shows minute 0, or when a change of the clock makes it show another
 * hour.
 */
function nextHour(local: Temporal.ZonedDateTime): number {
  const { minute, second, millisecond } = local;
  const passedMs = (minute * 60 + second) * 1000 + millisecond;
  const next = local.epochMilliseconds - passedMs + HOUR_MS;
  const changed = local.getTimeZoneTransition('next');
  if (changed === null || changed.epochMilliseconds > next) return next;
  const isStart = changed.minute === 0 || changed.hour !== local.hour;
  return isStart ? changed.epochMilliseconds : nextHour(changed);
}
