import { ACCESS_KEY_OUTCOMES, type Outcome } from '../../src/features/analytics/outcomes.ts';

/** One validation as the test made it: the whole truth that the service must agree with. */
export interface Happening {
  readonly at: number;
  readonly outcome: Outcome;
  /** null: what was asked for is no key of the asker's. */
  readonly key: KnownKey | null;
  readonly accessKeyId: string;
}

export interface KnownKey {
  readonly id: string;
  readonly value: string;
  readonly name: string;
  readonly mask: string;
  readonly projectId: string;
  readonly env: string;
  readonly customAccountId: string | null;
  readonly customUserId: string | null;
  readonly createdAt: number;
}

export type Interval = 'minute' | 'hour' | 'day' | 'week' | 'month';

const STEP_MS = 15 * 60_000;
const calendars = new Map<string, (ms: number) => number>();

/** The calendar day of a moment in a time zone, as a number that can be reckoned with. */
function localDay(ms: number, timeZone: string): number {
  const calendar = calendars.get(timeZone) ?? calendarOf(timeZone);
  calendars.set(timeZone, calendar);
  return calendar(ms);
}

/** Remembers what it found: no zone begins a day within a step, and formatting is what takes long. */
function calendarOf(timeZone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  const days = new Map<number, number>();
  return (ms) => {
    const step = Math.floor(ms / STEP_MS);
    const known = days.get(step);
    if (known !== undefined) return known;
    const parts = Object.fromEntries(
      format.formatToParts(ms).map(({ type, value }) => [type, value]),
    );
    const day = Date.UTC(Number(parts.year), Number(parts.month) - 1, Number(parts.day));
    days.set(step, day);
    return day;
  };
}

/** What all moments of one bucket have in common, and no other has. */
function label(ms: number, interval: Interval, timeZone: string): string {
  if (interval === 'minute') return String(Math.floor(ms / 60_000));
  if (interval === 'hour') return String(Math.floor(ms / 3_600_000));
  const day = localDay(ms, timeZone);
  const date = new Date(day);
  if (interval === 'day') return date.toISOString();
  if (interval === 'month') return date.toISOString().slice(0, 7);
  return String(day - ((date.getUTCDay() + 6) % 7) * 86_400_000);
}

const starts = new Map<string, number>();

/** By stepping back until the label changes: slow, and not how the service does it. */
function bucketStart(ms: number, interval: Interval, timeZone: string): number {
  if (interval === 'minute') return Math.floor(ms / 60_000) * 60_000;
  const mine = label(ms, interval, timeZone);
  const name = `${interval} ${timeZone} ${mine}`;
  const known = starts.get(name);
  if (known !== undefined) return known;
  let start = Math.floor(ms / STEP_MS) * STEP_MS;
  while (label(start - STEP_MS, interval, timeZone) === mine) start -= STEP_MS;
  starts.set(name, start);
  return start;
}

function nextBucket(start: number, interval: Interval, timeZone: string): number {
  let next = start + (interval === 'minute' ? 60_000 : STEP_MS);
  while (bucketStart(next, interval, timeZone) === start) next += STEP_MS;
  return next;
}

export type Counts = Record<Outcome, number>;

export function countOf(happenings: readonly Happening[]): Counts {
  const counts = Object.fromEntries(ACCESS_KEY_OUTCOMES.map((outcome) => [outcome, 0])) as Counts;
  for (const { outcome } of happenings) counts[outcome]++;
  return counts;
}

export const totalFields = (counts: Counts) => ({
  total: Object.values(counts).reduce((sum, count) => sum + count, 0),
  valid: counts.valid,
  rateLimited: counts.rate_limited,
  denied: counts.revoked + counts.expired + counts.domain_denied,
});

export const usageFields = (counts: Counts) => ({
  total: Object.values(counts).reduce((sum, count) => sum + count, 0),
  valid: counts.valid,
  rateLimited: counts.rate_limited,
  revoked: counts.revoked,
  expired: counts.expired,
  domainDenied: counts.domain_denied,
  unknown: counts.unknown,
  malformed: counts.malformed,
});

export interface Buckets {
  readonly interval: Interval;
  readonly timeZone: string;
  /** Inclusive and exclusive, as asked for; null: open. */
  readonly from: number | null;
  readonly to: number | null;
}

/** Happenings by the start of their bucket; those outside of the widened time are left out. */
export function byBucket(
  happenings: readonly Happening[],
  { interval, timeZone, from, to }: Buckets,
): Map<number, Happening[]> {
  const first = from === null ? 0 : bucketStart(from, interval, timeZone);
  const end =
    to === null
      ? Number.POSITIVE_INFINITY
      : nextBucket(bucketStart(to - 1, interval, timeZone), interval, timeZone);
  const inside = happenings.filter(({ at }) => at >= first && at < end);
  const sorted = inside.toSorted((a, b) => a.at - b.at);
  return Map.groupBy(sorted, ({ at }) => bucketStart(at, interval, timeZone));
}

/** Every bucket from the first to the last, used or not. */
export function filledStarts(
  first: number,
  last: number,
  { interval, timeZone }: Pick<Buckets, 'interval' | 'timeZone'>,
): number[] {
  const all: number[] = [];
  const end = bucketStart(last, interval, timeZone);
  for (
    let start = bucketStart(first, interval, timeZone);
    start <= end;
    start = nextBucket(start, interval, timeZone)
  )
    all.push(start);
  return all;
}
