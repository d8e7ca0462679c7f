/// <reference lib="esnext.temporal" />
import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { nextRefill, REFILL_INTERVALS, type RefillInterval } from './calendar.ts';

const MINUTE_MS = 60_000;
const iso = (ms: number) => new Date(ms).toISOString();
const next = (after: string, interval: RefillInterval, zone: string) =>
  iso(nextRefill(Date.parse(after), interval, zone));

test.each<[after: string, RefillInterval, zone: string, expected: string]>([
  ['2030-01-31T23:59:59.999Z', 'month', 'UTC', '2030-02-01T00:00:00.000Z'],
  ['2030-02-01T00:00:00.000Z', 'month', 'UTC', '2030-03-01T00:00:00.000Z'],
  ['2030-01-01T12:34:56.789Z', 'hour', 'UTC', '2030-01-01T13:00:00.000Z'],
  // 2030-01-01 is a Tuesday.
  ['2030-01-01T12:00:00.000Z', 'week', 'UTC', '2030-01-07T00:00:00.000Z'],
  ['2030-01-01T12:00:00.000Z', 'day', 'Europe/Berlin', '2030-01-01T23:00:00.000Z'],
  // The clock goes forward, so the day has 23 hours; then back, so it has 25.
  ['2030-03-31T00:00:00.000Z', 'day', 'Europe/Berlin', '2030-03-31T22:00:00.000Z'],
  ['2030-10-26T22:00:00.000Z', 'day', 'Europe/Berlin', '2030-10-27T23:00:00.000Z'],
  // Midnight is skipped: the day begins at 01:00.
  ['2018-11-03T12:00:00.000Z', 'day', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z'],
  // At 00:01 on 7 November, the clock is set back to 23:01. The 7th has already begun, so the 8th is next.
  ['2010-11-07T02:45:00.000Z', 'day', 'America/St_Johns', '2010-11-08T03:30:00.000Z'],
  // 30 December 2011 did not exist in Apia.
  ['2011-12-29T12:00:00.000Z', 'day', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
  ['2011-12-30T10:00:00.000Z', 'day', 'Pacific/Apia', '2011-12-31T10:00:00.000Z'],
  // Half an hour forward: 02:00 becomes 02:30, and 03:00 follows half an hour later.
  ['2030-10-05T15:00:00.000Z', 'hour', 'Australia/Lord_Howe', '2030-10-05T15:30:00.000Z'],
  ['2030-10-05T15:30:00.000Z', 'hour', 'Australia/Lord_Howe', '2030-10-05T16:00:00.000Z'],
  // Half an hour back: 02:00 becomes 01:30, so this hour has 90 minutes.
  ['2030-04-06T14:00:00.000Z', 'hour', 'Australia/Lord_Howe', '2030-04-06T15:30:00.000Z'],
  ['2030-10-27T00:30:00.000Z', 'hour', 'Europe/Berlin', '2030-10-27T01:00:00.000Z'],
  ['2030-01-01T00:20:00.000Z', 'hour', 'Asia/Kathmandu', '2030-01-01T01:15:00.000Z'],
])('after %s the next %s in %s begins at %s', (after, interval, zone, expected) => {
  expect(next(after, interval, zone)).toBe(expected);
});

const ZONES = [
  ...['UTC', 'Europe/Berlin', 'America/New_York', 'America/St_Johns', 'America/Sao_Paulo'],
  ...['Australia/Lord_Howe', 'Asia/Kathmandu', 'Pacific/Apia', 'Africa/Cairo', 'America/Havana'],
];

const LABELS: Record<RefillInterval, (at: Temporal.ZonedDateTime) => string> = {
  hour: (at) => `${at.toPlainDate()} ${at.hour}`,
  day: (at) => at.toPlainDate().toString(),
  week: (at) =>
    at
      .toPlainDate()
      .subtract({ days: at.dayOfWeek - 1 })
      .toString(),
  month: (at) => at.toPlainDate().toPlainYearMonth().toString(),
};

/** Finds the next start by walking minute by minute. */
function nextByWalking(after: number, interval: RefillInterval, zone: string): number {
  const at = (ms: number) => Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);
  const label = LABELS[interval];
  let before = label(at(after));
  let highest = before;
  // A clock that was set back across midnight shows a day again that has ended.
  for (let ms = after - 3 * 60 * MINUTE_MS; ms < after; ms += MINUTE_MS)
    if (label(at(ms)) > highest) highest = label(at(ms));
  for (let ms = Math.floor(after / MINUTE_MS + 1) * MINUTE_MS; ; ms += MINUTE_MS) {
    const local = at(ms);
    const now = label(local);
    if (interval === 'hour' ? now !== before || local.minute === 0 : now > highest) return ms;
    before = now;
    if (now > highest) highest = now;
  }
}

it('finds the same start as walking minute by minute, around changes of the clock', () => {
  const time = fc
    .tuple(
      fc.constantFrom(...ZONES),
      fc.integer({ min: Date.UTC(2009, 0), max: Date.UTC(2035, 0) }),
      fc.integer({ min: -3 * 3_600_000, max: 3 * 3_600_000 }),
      fc.boolean(),
    )
    .map(([zone, ms, offset, isNearChange]) => {
      const at = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);
      const change = isNearChange ? at.getTimeZoneTransition('next') : null;
      return { zone, ms: change === null ? ms : change.epochMilliseconds + offset };
    });
  // Walking a week or a month takes too long. They share their code with days.
  fc.assert(
    fc.property(time, fc.constantFrom('hour', 'day'), ({ zone, ms }, interval) => {
      expect(iso(nextRefill(ms, interval, zone))).toBe(iso(nextByWalking(ms, interval, zone)));
    }),
    { numRuns: 60, examples: [[{ zone: 'America/St_Johns', ms: 1_289_097_060_000 }, 'day']] },
  );
});

it('always moves forward, and to the start of an interval', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      fc.constantFrom(...REFILL_INTERVALS),
      fc.integer({ min: Date.UTC(2009, 0), max: Date.UTC(2035, 0) }),
      (zone, interval, ms) => {
        const start = nextRefill(ms, interval, zone);
        expect(start).toBeGreaterThan(ms);
        expect(nextRefill(start - 1, interval, zone)).toBe(start);
      },
    ),
  );
});
