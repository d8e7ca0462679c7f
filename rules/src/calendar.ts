/// <reference lib="esnext.temporal" />

export const INTERVALS = ['hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof INTERVALS)[number];

export interface Calendar {
  readonly interval: Interval;
  /** IANA name of the zone in whose local time days, weeks and months are counted. */
  readonly timezone: string;
  /** Start of one of the periods, in milliseconds. Without it, periods begin with hours, days, Mondays and months. */
  readonly anchor?: number | null | undefined;
}

export interface Period {
  readonly start: number;
  /** Where the next period begins. */
  readonly end: number;
}

const HOUR_MS = 3_600_000;

/** The period that contains a time. */
export function periodAt(at: number, { interval, timezone, anchor = null }: Calendar): Period {
  if (anchor !== null)
    return interval === 'hour'
      ? hoursFrom(anchor, at)
      : periodFrom(localTime(anchor, timezone), interval, at);
  return interval === 'hour' ? hourOf(localTime(at, timezone)) : dateOf(at, interval, timezone);
}

const localTime = (ms: number, timezone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone);

/**
 * The day, week or month of the calendar. It begins with the first moment of its first day, which is not midnight if
 * the clock skips midnight.
 */
function dateOf(at: number, interval: Exclude<Interval, 'hour'>, timezone: string): Period {
  const startOf = (date: Temporal.PlainDate) => date.toZonedDateTime(timezone).epochMilliseconds;
  const today = localTime(at, timezone).toPlainDate();
  let first =
    interval === 'week'
      ? today.subtract({ days: today.dayOfWeek - 1 })
      : interval === 'month'
        ? today.with({ day: 1 })
        : today;
  for (;;) {
    const next = first.add(durationOf(interval, 1));
    const end = startOf(next);
    // The end has passed if the clock was set back after midnight and shows the previous day again.
    if (end > at) return { start: startOf(first), end };
    first = next;
  }
}

/** Each start is computed from the anchor: 31 January is followed by 28 February, and that by 31 March. */
function periodFrom(
  anchor: Temporal.ZonedDateTime,
  interval: Exclude<Interval, 'hour'>,
  at: number,
): Period {
  // If the clock skips the local time, `add` is later by as much; if it shows it twice, `add` takes the first.
  const startOf = (count: number) => anchor.add(durationOf(interval, count)).epochMilliseconds;
  const today = localTime(at, anchor.timeZoneId).toPlainDate();
  const passed = anchor.toPlainDate().until(today, { largestUnit: interval })[`${interval}s`];
  // Begins with an earlier period: the time of the day is not counted yet, and a zone can skip a whole day. Then
  // two periods begin at the same moment, and the first is empty.
  let count = passed - 2;
  let start = startOf(count);
  for (;;) {
    const end = startOf(++count);
    if (end > at) return { start, end };
    start = end;
  }
}

const durationOf = (interval: Exclude<Interval, 'hour'>, count: number) => ({
  [`${interval}s`]: count,
});

function hoursFrom(anchor: number, at: number): Period {
  const start = anchor + Math.floor((at - anchor) / HOUR_MS) * HOUR_MS;
  return { start, end: start + HOUR_MS };
}

/**
 * An hour begins when the local clock shows minute 0, or when a change of the clock makes it show another
 * hour.
 */
const hourOf = (local: Temporal.ZonedDateTime): Period => ({
  start: startOfHour(local),
  end: nextHour(local),
});

const minuteZero = (local: Temporal.ZonedDateTime): number =>
  local.epochMilliseconds - (local.minute * 60 + local.second) * 1000 - local.millisecond;

function startOfHour(local: Temporal.ZonedDateTime): number {
  const start = minuteZero(local);
  const changed = local.add({ milliseconds: 1 }).getTimeZoneTransition('previous');
  if (changed === null || changed.epochMilliseconds < start) return start;
  const before = changed.subtract({ milliseconds: 1 });
  return beginsHour(changed, before) ? changed.epochMilliseconds : startOfHour(before);
}

function nextHour(local: Temporal.ZonedDateTime): number {
  const next = minuteZero(local) + HOUR_MS;
  const changed = local.getTimeZoneTransition('next');
  if (changed === null || changed.epochMilliseconds > next) return next;
  return beginsHour(changed, local) ? changed.epochMilliseconds : nextHour(changed);
}

const beginsHour = (changed: Temporal.ZonedDateTime, before: Temporal.ZonedDateTime): boolean =>
  changed.minute === 0 || changed.hour !== before.hour;
