/// <reference lib="esnext.temporal" />

export const REFILL_INTERVALS = ['hour', 'day', 'week', 'month'] as const;
export type RefillInterval = (typeof REFILL_INTERVALS)[number];

const HOUR_MS = 3_600_000;
const LENGTHS = { day: { days: 1 }, week: { days: 7 }, month: { months: 1 } };

/**
 * The next start of a calendar interval after `after`. Weeks begin on Monday. A day, week or month begins
 * with the first moment of its first day. That is not midnight if the clock skips midnight.
 */
export function nextRefill(after: number, interval: RefillInterval, timeZone: string): number {
  const local = Temporal.Instant.fromEpochMilliseconds(after).toZonedDateTimeISO(timeZone);
  return interval === 'hour' ? nextHour(local) : nextDate(local, interval);
}

function nextDate(local: Temporal.ZonedDateTime, interval: 'day' | 'week' | 'month'): number {
  const today = local.toPlainDate();
  let first =
    interval === 'week'
      ? today.subtract({ days: today.dayOfWeek - 1 })
      : interval === 'month'
        ? today.with({ day: 1 })
        : today;
  for (;;) {
    first = first.add(LENGTHS[interval]);
    const start = first.toZonedDateTime(local.timeZoneId).epochMilliseconds;
    // The start has passed if the clock was set back after midnight and shows the previous day again.
    if (start > local.epochMilliseconds) return start;
  }
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
