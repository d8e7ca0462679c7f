import { isoTime, parseTime } from '../../../kernel/clock.ts';
import { KeywardError } from '../../../kernel/errors.ts';
import { minutesKeptFrom, quartersKeptFrom, type Retention } from '../buckets/retention.ts';
import { DAY_MS, floorTo, HOUR_MS } from '../usage-kinds.ts';
import { type BucketAt, bucketCountMax, bucketsOf, type Interval, isUtc } from './calendar.ts';
import type { Asked } from './counts-reader.ts';
import type { Grain } from './segments.ts';
import { BUCKETS_MAX, type Fill } from './series.ts';

/** No date lies beyond. */
const END_OF_TIME = 8.64e15;

export interface Range extends Asked {
  /** null: the whole time as one. */
  readonly bucketAt: BucketAt | null;
  /** Which buckets have rows although nothing happened, when that is wanted. */
  readonly fill: Fill;
}

export interface RangeQuery {
  readonly from?: string;
  readonly to?: string;
}

interface Limits {
  readonly retention: Retention;
  readonly now: number;
}

/** What the totals tell of: everything, unless a time is named. Both ends grow to whole buckets. */
export function totalsRange(
  query: RangeQuery,
  grouping: Exclude<Interval, 'minute'> | 'all',
  limits: Limits,
): Range {
  const { from, to } = readEnds(query);
  if (grouping === 'all') {
    return {
      from: from === null ? 0 : wholeUnit(from, limits).start,
      until: to === null ? END_OF_TIME : wholeUnit(to - 1, limits).end,
      grain: 'months',
      asOne: true,
      bucketAt: null,
      fill: { from: null, until: 0 },
    };
  }
  const bucketAt = bucketsOf(grouping, 'UTC');
  const earliest = grouping === 'hour' ? quartersKeptFrom(limits.retention, limits.now) : 0;
  const range = {
    from: from === null ? earliest : bucketAt(from).start,
    until: to === null ? END_OF_TIME : bucketAt(to - 1).end,
    grain: grainOf(grouping, 'UTC'),
    asOne: false,
    bucketAt,
    fill: {
      from: from === null ? null : bucketAt(from).start,
      // What is still to come has no rows, or a far `to` would ask for millions of them.
      until: bucketAt(to === null ? limits.now : Math.min(to - 1, limits.now)).end,
    },
  };
  if (grouping === 'hour') refuseTooEarly(range, 'dateGrouping=hour', limits);
  if (from !== null) refuseTooMany(grouping, range.from, range.fill.until);
  return range;
}

/** As exact as what is kept: hours while there are hours, days before. */
function wholeUnit(ms: number, { retention, now }: Limits): { start: number; end: number } {
  const unit = ms >= quartersKeptFrom(retention, now) ? HOUR_MS : DAY_MS;
  const start = floorTo(ms, unit);
  return { start, end: start + unit };
}

/** How far back a question goes that does not say. */
const USUAL_MS: Record<Interval, number> = {
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
  limits: Limits,
): Range {
  const { from, to } = readEnds(query);
  const bucketAt = bucketsOf(interval, timeZone);
  const grain = grainOf(interval, timeZone);
  const end = to ?? limits.now + 1;
  const earliest = earliestFor(grain, limits);
  const start =
    from === null ? usualFrom(bucketAt, end - USUAL_MS[interval], earliest) : bucketAt(from).start;
  const until = bucketAt(end - 1).end;
  const fill = { from: start, until };
  const range = { from: start, until, grain, asOne: false, bucketAt, fill };
  if (range.from >= range.until)
    throw new KeywardError('invalid_query', 'from must lie before to.');
  const isZoned = grain === 'quarters' && interval !== 'hour';
  refuseTooEarly(range, isZoned ? `timezone=${timeZone}` : `interval=${interval}`, limits);
  refuseTooMany(interval, range.from, range.until);
  return range;
}

/** The first whole bucket that is kept, when the usual time reaches back further. */
function usualFrom(bucketAt: BucketAt, usual: number, earliest: number): number {
  const { start, end } = bucketAt(Math.max(usual, earliest));
  return start < earliest ? end : start;
}

function grainOf(interval: Interval, timeZone: string): Grain {
  if (interval === 'minute') return 'minutes';
  if (interval === 'hour' || !isUtc(timeZone)) return 'quarters';
  return interval === 'month' ? 'months' : 'days';
}

function earliestFor(grain: Grain, { retention, now }: Limits): number {
  if (grain === 'minutes') return minutesKeptFrom(retention, now);
  return grain === 'quarters' ? quartersKeptFrom(retention, now) : 0;
}

/** Says how far back what is asked for is kept. */
function refuseTooEarly(range: Asked, what: string, limits: Limits): void {
  const earliest = earliestFor(range.grain, limits);
  if (range.from >= earliest) return;
  const { minuteHours, hourDays } = limits.retention;
  const kept = range.grain === 'minutes' ? `${minuteHours} hours` : `${hourDays} days`;
  throw new KeywardError(
    'invalid_query',
    `${what} reaches back ${kept}: from must not lie before ${isoTime(earliest)}.`,
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
  const from = readTime('from', query.from);
  const to = readTime('to', query.to);
  if (from !== null && to !== null && from >= to)
    throw new KeywardError('invalid_query', 'from must lie before to.');
  return { from, to };
}

function readTime(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const time = parseTime(text);
  if (time === null)
    throw new KeywardError(
      'invalid_query',
      `${name} must be an ISO 8601 date-time, a date, or YYYY-MM-DD HH:mm:ss.`,
    );
  if (time < 0) throw new KeywardError('invalid_query', `${name} must not lie before 1970.`);
  return time;
}
