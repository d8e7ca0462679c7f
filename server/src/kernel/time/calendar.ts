/// <reference lib="esnext.temporal" />

const LENGTHS = { day: { days: 1 }, week: { days: 7 }, month: { months: 1 } };

/**
 * The day, week or month of a time zone that contains a time. Weeks begin on Monday. Each begins with the
 * first moment of its first day, which is not midnight if the clock skips midnight, and ends where the next
 * one begins.
 */
export function calendarPeriod(
  ms: number,
  unit: 'day' | 'week' | 'month',
  timeZone: string,
): { readonly start: number; readonly end: number } {
  const startOf = (date: Temporal.PlainDate) => date.toZonedDateTime(timeZone).epochMilliseconds;
  const today = Temporal.Instant.fromEpochMilliseconds(ms)
    .toZonedDateTimeISO(timeZone)
    .toPlainDate();
  let first =
    unit === 'week'
      ? today.subtract({ days: today.dayOfWeek - 1 })
      : unit === 'month'
        ? today.with({ day: 1 })
        : today;
  for (;;) {
    const next = first.add(LENGTHS[unit]);
    const end = startOf(next);
    // The end has passed if the clock was set back after midnight and shows the previous day again.
    if (end > ms) return { start: startOf(first), end };
    first = next;
  }
}
