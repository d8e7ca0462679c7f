/// <reference lib="esnext.temporal" />
import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { type Calendar, INTERVALS, type Interval, periodAt } from './calendar.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const iso = (ms: number) => new Date(ms).toISOString();

function period(at: string, interval: Interval, timezone: string, anchor?: string) {
  const calendar = { interval, timezone, anchor: anchor && Date.parse(anchor) } as Calendar;
  const { start, end } = periodAt(Date.parse(at), calendar);
  return [iso(start), iso(end)];
}

test.each<[at: string, Interval, zone: string, start: string, end: string]>([
  // 2030-01-01 is a Tuesday.
  ['2030-01-01T12:00:00Z', 'week', 'Europe/Berlin', '2029-12-30T23:00Z', '2030-01-06T23:00Z'],
  ['2030-03-31T12:00:00Z', 'month', 'Europe/Berlin', '2030-02-28T23:00Z', '2030-03-31T22:00Z'],
  ['2030-01-31T23:59:59.999Z', 'month', 'UTC', '2030-01-01T00:00Z', '2030-02-01T00:00Z'],
  ['2030-02-01T00:00:00Z', 'month', 'UTC', '2030-02-01T00:00Z', '2030-03-01T00:00Z'],
  // The clock goes forward, so the day has 23 hours; then back, so it has 25.
  ['2030-03-31T00:00:00Z', 'day', 'Europe/Berlin', '2030-03-30T23:00Z', '2030-03-31T22:00Z'],
  ['2030-10-26T22:00:00Z', 'day', 'Europe/Berlin', '2030-10-26T22:00Z', '2030-10-27T23:00Z'],
  // Midnight is skipped: the day begins at 01:00.
  ['2018-11-04T12:00:00Z', 'day', 'America/Sao_Paulo', '2018-11-04T03:00Z', '2018-11-05T02:00Z'],
  // At 00:01 on 7 November, the clock is set back to 23:01 and shows the 6th again.
  ['2010-11-07T02:45:00Z', 'day', 'America/St_Johns', '2010-11-07T02:30Z', '2010-11-08T03:30Z'],
  // 30 December 2011 did not exist in Apia.
  ['2011-12-30T09:59:00Z', 'day', 'Pacific/Apia', '2011-12-29T10:00Z', '2011-12-30T10:00Z'],
  ['2011-12-30T10:00:00Z', 'day', 'Pacific/Apia', '2011-12-30T10:00Z', '2011-12-31T10:00Z'],
  ['2030-01-01T12:34:56.789Z', 'hour', 'UTC', '2030-01-01T12:00Z', '2030-01-01T13:00Z'],
  ['2030-01-01T00:20:00Z', 'hour', 'Asia/Kathmandu', '2030-01-01T00:15Z', '2030-01-01T01:15Z'],
  // Half an hour forward: 02:00 becomes 02:30, and 03:00 follows half an hour later.
  ['2030-10-05T15:00:00Z', 'hour', 'Australia/Lord_Howe', '2030-10-05T14:30Z', '2030-10-05T15:30Z'],
  ['2030-10-05T15:30:00Z', 'hour', 'Australia/Lord_Howe', '2030-10-05T15:30Z', '2030-10-05T16:00Z'],
  // Half an hour back: 02:00 becomes 01:30, so this hour has 90 minutes.
  ['2030-04-06T14:00:00Z', 'hour', 'Australia/Lord_Howe', '2030-04-06T14:00Z', '2030-04-06T15:30Z'],
  ['2030-04-06T15:10:00Z', 'hour', 'Australia/Lord_Howe', '2030-04-06T14:00Z', '2030-04-06T15:30Z'],
])('by the calendar: at %s the %s in %s', (at, interval, zone, start, end) => {
  expect(period(at, interval, zone)).toEqual([iso(Date.parse(start)), iso(Date.parse(end))]);
});

const JANUARY_31 = '2030-01-31T10:00Z';

test.each<[at: string, Interval, zone: string, anchor: string, start: string, end: string]>([
  ['2030-02-10T00:00Z', 'month', 'UTC', JANUARY_31, JANUARY_31, '2030-02-28T10:00Z'],
  ['2030-03-10T00:00Z', 'month', 'UTC', JANUARY_31, '2030-02-28T10:00Z', '2030-03-31T10:00Z'],
  ['2032-02-10T00:00Z', 'month', 'UTC', JANUARY_31, '2032-01-31T10:00Z', '2032-02-29T10:00Z'],
  // Before the anchor, too.
  ['2030-01-10T00:00Z', 'month', 'UTC', JANUARY_31, '2029-12-31T10:00Z', JANUARY_31],
  ['2029-11-30T09:59Z', 'month', 'UTC', JANUARY_31, '2029-10-31T10:00Z', '2029-11-30T10:00Z'],
  // 29 February is the 28th in other years, and the 29th of every other month.
  [
    '2032-03-01T00:00Z',
    'month',
    'UTC',
    '2028-02-29T00:00Z',
    '2032-02-29T00:00Z',
    '2032-03-29T00:00Z',
  ],
  [
    '2031-03-01T00:00Z',
    'month',
    'UTC',
    '2028-02-29T00:00Z',
    '2031-02-28T00:00Z',
    '2031-03-29T00:00Z',
  ],
  // 10:00 in Berlin is 09:00 UTC in winter and 08:00 in summer.
  [
    '2030-03-31T12:00Z',
    'day',
    'Europe/Berlin',
    '2030-01-01T09:00Z',
    '2030-03-31T08:00Z',
    '2030-04-01T08:00Z',
  ],
  [
    '2030-03-31T12:00Z',
    'hour',
    'Europe/Berlin',
    '2030-01-01T09:20Z',
    '2030-03-31T11:20Z',
    '2030-03-31T12:20Z',
  ],
  // 2030-01-01 is a Tuesday, and so is 8 January.
  [
    '2030-01-07T23:00Z',
    'week',
    'UTC',
    '2030-01-01T00:00Z',
    '2030-01-01T00:00Z',
    '2030-01-08T00:00Z',
  ],
  [
    '2029-12-31T23:00Z',
    'week',
    'UTC',
    '2030-01-01T00:00Z',
    '2029-12-25T00:00Z',
    '2030-01-01T00:00Z',
  ],
  // 02:30 does not exist on 31 March: it becomes 03:30. It exists twice on 27 October: the first is taken.
  [
    '2030-03-31T01:10Z',
    'day',
    'Europe/Berlin',
    '2030-01-01T01:30Z',
    '2030-03-30T01:30Z',
    '2030-03-31T01:30Z',
  ],
  [
    '2030-04-01T00:29Z',
    'day',
    'Europe/Berlin',
    '2030-01-01T01:30Z',
    '2030-03-31T01:30Z',
    '2030-04-01T00:30Z',
  ],
  [
    '2030-10-27T00:40Z',
    'day',
    'Europe/Berlin',
    '2030-01-01T01:30Z',
    '2030-10-27T00:30Z',
    '2030-10-28T01:30Z',
  ],
  // An anchor in the second of the two stays where it is.
  [
    '2030-10-27T01:29Z',
    'day',
    'Europe/Berlin',
    '2030-10-27T01:30Z',
    '2030-10-26T00:30Z',
    '2030-10-27T01:30Z',
  ],
  // 30 December 2011 did not exist in Apia: the period of the 29th has 24 hours, and the next begins on the 31st.
  [
    '2011-12-30T12:00Z',
    'day',
    'Pacific/Apia',
    '2011-12-20T20:00Z',
    '2011-12-29T20:00Z',
    '2011-12-30T20:00Z',
  ],
  [
    '2011-12-30T20:00Z',
    'day',
    'Pacific/Apia',
    '2011-12-20T20:00Z',
    '2011-12-30T20:00Z',
    '2011-12-31T20:00Z',
  ],
])('from an anchor: at %s the %s in %s from %s', (at, interval, zone, anchor, start, end) => {
  const expected = [iso(Date.parse(start)), iso(Date.parse(end))];
  expect(period(at, interval, zone, anchor)).toEqual(expected);
});

const ZONES = [
  ...['UTC', 'Europe/Berlin', 'America/New_York', 'America/St_Johns', 'America/Sao_Paulo'],
  ...['Australia/Lord_Howe', 'Asia/Kathmandu', 'Asia/Kolkata', 'Asia/Beirut', 'Pacific/Apia'],
  ...['Africa/Cairo', 'America/Havana'],
];

const anyTime = fc.integer({ min: Date.UTC(2009, 0), max: Date.UTC(2035, 0) });

/** Every second time is near a change of the clock. */
const anyLocalTime = fc
  .tuple(
    fc.constantFrom(...ZONES),
    anyTime,
    fc.integer({ min: -3 * HOUR_MS, max: 3 * HOUR_MS }),
    fc.boolean(),
  )
  .map(([timezone, ms, offset, isNearChange]) => {
    const local = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone);
    const change = isNearChange ? local.getTimeZoneTransition('next') : null;
    return { timezone, at: change === null ? ms : change.epochMilliseconds + offset };
  });

/** Half of the anchors are on a day that some months do not have. */
const anyAnchor = fc.oneof(
  anyTime,
  anyTime.map((ms) => {
    const date = new Date(ms);
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0, date.getUTCHours());
  }),
  fc.constant(null),
);

it('contains its time, and ends where the next one begins', () => {
  fc.assert(
    fc.property(
      anyLocalTime,
      fc.constantFrom(...INTERVALS),
      anyAnchor,
      ({ timezone, at }, interval, anchor) => {
        const calendar = { interval, timezone, anchor };
        const { start, end } = periodAt(at, calendar);
        expect(start).toBeLessThanOrEqual(at);
        expect(end).toBeGreaterThan(at);
        expect(periodAt(end, calendar).start).toBe(end);
        expect(periodAt(start, calendar)).toEqual({ start, end });
        expect(periodAt(end - 1, calendar)).toEqual({ start, end });
      },
    ),
    { numRuns: 400 },
  );
});

it('begins at the local time of its anchor, on its day or on the last of a shorter month', () => {
  fc.assert(
    fc.property(
      anyLocalTime,
      fc.constantFrom('day' as const, 'week' as const, 'month' as const),
      anyTime,
      ({ timezone, at }, interval, anchor) => {
        const zoned = (ms: number) =>
          Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone);
        const { start } = periodAt(at, { interval, timezone, anchor });
        const from = zoned(anchor);
        const begins = zoned(start);
        // Said again, in another way: the date, with the time of the anchor as `compatible` reads it.
        const onDay = (date: Temporal.PlainDate) =>
          date.toZonedDateTime({ timeZone: timezone, plainTime: from.toPlainTime() });
        const date = begins.toPlainDate();
        const candidates = [date, date.subtract({ days: 1 })].filter((each) => {
          if (interval === 'month') return each.day === Math.min(from.day, each.daysInMonth);
          return interval === 'day' || each.dayOfWeek === from.dayOfWeek;
        });
        const starts = candidates.map((each) => onDay(each).epochMilliseconds);
        expect(start === anchor || starts.includes(start)).toBe(true);
      },
    ),
    { numRuns: 400 },
  );
});

const LABELS = {
  hour: (at: Temporal.ZonedDateTime) => `${at.toPlainDate()} ${at.hour}`,
  day: (at: Temporal.ZonedDateTime) => at.toPlainDate().toString(),
};

/** Finds the next start by walking minute by minute. */
function nextByWalking(after: number, interval: 'hour' | 'day', zone: string): number {
  const at = (ms: number) => Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);
  const label = LABELS[interval];
  let before = label(at(after));
  let highest = before;
  // A clock that was set back across midnight shows a day again that has ended.
  for (let ms = after - 3 * HOUR_MS; ms < after; ms += MINUTE_MS)
    if (label(at(ms)) > highest) highest = label(at(ms));
  for (let ms = Math.floor(after / MINUTE_MS + 1) * MINUTE_MS; ; ms += MINUTE_MS) {
    const local = at(ms);
    const now = label(local);
    if (interval === 'hour' ? now !== before || local.minute === 0 : now > highest) return ms;
    before = now;
    if (now > highest) highest = now;
  }
}

it('finds the same end as walking minute by minute, around changes of the clock', () => {
  // Walking a week or a month takes too long. They share their code with days.
  fc.assert(
    fc.property(
      anyLocalTime,
      fc.constantFrom('hour' as const, 'day' as const),
      ({ timezone, at }, interval) => {
        const { end } = periodAt(at, { interval, timezone });
        expect(iso(end)).toBe(iso(nextByWalking(at, interval, timezone)));
      },
    ),
    {
      numRuns: 60,
      examples: [[{ timezone: 'America/St_Johns', at: 1_289_097_060_000 }, 'day']],
    },
  );
});
