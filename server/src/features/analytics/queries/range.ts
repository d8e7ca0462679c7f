import { KeywardError } from '../../../kernel/errors.ts';
import { isoTime } from '../../../kernel/time/clock.ts';
import { readQueryTime } from '../../../kernel/time/read-time.ts';
import { minutesKeptFrom, quarterHoursKeptFrom, type Retention } from '../buckets/retention.ts';
import { DAY_MS, floorTo, HOUR_MS } from '../usage-kinds.ts';
import { type BucketAt, bucketCountMax, bucketsOf, type Interval, isUtc } from './calendar.ts';
import type { CountRange } from './counts-reader.ts';
import type { Grain } from './segments.ts';
import { BUCKETS_MAX, type Fill } from './series.ts';

/** The latest time that a Date can hold. */
const END_OF_TIME = 8.64e15;

export interface Range extends CountRange {
  /** null: one bucket for the whole range. */
  readonly bucketAt: BucketAt | null;
  /** Range in which empty buckets get rows, if the query wants them. */
  readonly fill: Fill;
}

export interface RangeQuery {
  readonly from?: string;
  readonly to?: string;
}

interface RangeContext {
  readonly retention: Retention;
  readonly now: number;
}

/** The range of a totals query: all time unless limited. Both ends are widened to whole buckets. */
export function totalsRange(
  query: RangeQuery,
  grouping: Exclude<Interval, 'minute'> | 'all',
  context: RangeContext,
): Range {
  const { from, to } = readEnds(query);
  if (grouping === 'all') {
    return {
      from: from === null ? 0 : wholeUnit(from, context).start,
      until: to === null ? END_OF_TIME : wholeUnit(to - 1, context).end,
      grain: 'months',
      asOne: true,
      bucketAt: null,
      fill: { from: null, until: 0 },
    };
  }
  const bucketAt = bucketsOf(grouping, 'UTC');
  const earliest = grouping === 'hour' ? quarterHoursKeptFrom(context.retention, context.now) : 0;
  const range = {
    from: from === null ? earliest : bucketAt(from).start,
    until: to === null ? END_OF_TIME : bucketAt(to - 1).end,
    grain: grainOf(grouping, 'UTC'),
    asOne: false,
    bucketAt,
    fill: {
      from: from === null ? null : bucketAt(from).start,
      // Future buckets get no rows: a far `to` would create millions of them.
      until: bucketAt(to === null ? context.now : Math.min(to - 1, context.now)).end,
    },
  };
  if (grouping === 'hour') refuseTooEarly(range, 'dateGrouping=hour', context);
  if (from !== null) refuseTooMany(grouping, range.from, range.fill.until);
  return range;
}

/** The hour of a time, or its day if hours are no longer kept. */
function wholeUnit(ms: number, { retention, now }: RangeContext): { start: number; end: number } {
  const unit = ms >= quarterHoursKeptFrom(retention, now) ? HOUR_MS : DAY_MS;
  const start = floorTo(ms, unit);
  return { start, end: start + unit };
}

/** Length of the range if `from` is left out. */
const DEFAULT_RANGE_MS: Record<Interval, number> = {
  minute: HOUR_MS,
  hour: DAY_MS,
  day: 30 * DAY_MS,
  week: 84 * DAY_MS,
  month: 365 * DAY_MS,
};

export function usageRange(
  query: RangeQuery,
  interval: Interval,
  timeZone: string,
  context: RangeContext,
): Range {
  const { from, to } = readEnds(query);
  const bucketAt = bucketsOf(interval, timeZone);
  const grain = grainOf(interval, timeZone);
  const end = to ?? context.now + 1;
  const earliest = earliestFor(grain, context);
  const start =
    from === null
      ? defaultFrom(bucketAt, end - DEFAULT_RANGE_MS[interval], earliest)
      : bucketAt(from).start;
  const until = bucketAt(end - 1).end;
  const fill = { from: start, until };
  const range = { from: start, until, grain, asOne: false, bucketAt, fill };
  if (range.from >= range.until)
    throw new KeywardError(
      'invalid_query',
      from === null
        ? `Usage with interval=${interval} is no longer kept for the time before \`to\`. Use a longer interval.`
        : 'from must be before to.',
    );
  const isZoned = grain === 'quarters' && interval !== 'hour';
  refuseTooEarly(range, isZoned ? `timezone=${timeZone}` : `interval=${interval}`, context);
  refuseTooMany(interval, range.from, range.until);
  return range;
}

/** Not before the first whole bucket that is kept. */
function defaultFrom(bucketAt: BucketAt, from: number, earliest: number): number {
  const { start, end } = bucketAt(Math.max(from, earliest));
  return start < earliest ? end : start;
}

function grainOf(interval: Interval, timeZone: string): Grain {
  if (interval === 'minute') return 'minutes';
  if (interval === 'hour' || !isUtc(timeZone)) return 'quarters';
  return interval === 'month' ? 'months' : 'days';
}

function earliestFor(grain: Grain, { retention, now }: RangeContext): number {
  if (grain === 'minutes') return minutesKeptFrom(retention, now);
  return grain === 'quarters' ? quarterHoursKeptFrom(retention, now) : 0;
}

/** Counts finer than a day are deleted after a while. */
function refuseTooEarly(range: CountRange, what: string, context: RangeContext): void {
  const earliest = earliestFor(range.grain, context);
  if (range.from >= earliest) return;
  const { minuteHours, hourDays } = context.retention;
  const kept = range.grain === 'minutes' ? `${minuteHours} hours` : `${hourDays} days`;
  throw new KeywardError(
    'invalid_query',
    `${what} is available for the last ${kept}: from must not be before ${isoTime(earliest)}.`,
  );
}

function refuseTooMany(interval: Interval, from: number, until: number): void {
  if (bucketCountMax(interval, from, until) > BUCKETS_MAX + 1)
    throw new KeywardError(
      'invalid_query',
      `from and to may span at most ${BUCKETS_MAX.toLocaleString('en')} buckets of one ${interval}.`,
    );
}

function readEnds(query: RangeQuery): { from: number | null; to: number | null } {
  const from = readTimeSince1970('from', query.from);
  const to = readTimeSince1970('to', query.to);
  if (from !== null && to !== null && from >= to)
    throw new KeywardError('invalid_query', 'from must be before to.');
  return { from, to };
}

function readTimeSince1970(name: string, text: string | undefined): number | null {
  const time = readQueryTime(name, text);
  if (time !== null && time < 0)
    throw new KeywardError('invalid_query', `${name} must not be before 1970.`);
  return time;
}
