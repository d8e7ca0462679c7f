import { OUTCOMES, type Outcome } from '@keyward/rules/outcomes.ts';

/** One validation as the test sent it; the reports of the service must agree with these. */
export interface RecordedValidation {
  readonly at: number;
  readonly outcome: Outcome;
  readonly cost: number;
  /** null: the value is not a key that the caller may see. */
  readonly key: KnownKey | null;
  readonly accessKeyId: string;
  /** What it counts as; null: the project declares no resources. */
  readonly resource: string | null;
  /** What it cost of units besides requests and credits. */
  readonly tokens: number;
  /** What it cost of requests, if that is not what it cost in credits. */
  readonly requests?: number;
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
  /** The plan that is in force for the key. */
  readonly planId: string | null;
  readonly createdAt: number;
}

export type Interval = 'minute' | 'hour' | 'day' | 'week' | 'month';

const STEP_MS = 15 * 60_000;
const calendars = new Map<string, (ms: number) => number>();

/** The calendar day of a time in a time zone, as the UTC time of its midnight. */
function localDay(ms: number, timeZone: string): number {
  const calendar = calendars.get(timeZone) ?? calendarOf(timeZone);
  calendars.set(timeZone, calendar);
  return calendar(ms);
}

/** Caches the day per step: no zone starts a day within a step, and formatting is slow. */
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

/** Identifies the bucket of a time. */
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

/** Steps back until the label changes: slow, and deliberately unlike the service. */
function bucketStart(ms: number, interval: Interval, timeZone: string): number {
  if (interval === 'minute') return Math.floor(ms / 60_000) * 60_000;
  const bucketLabel = label(ms, interval, timeZone);
  const name = `${interval} ${timeZone} ${bucketLabel}`;
  const known = starts.get(name);
  if (known !== undefined) return known;
  let start = Math.floor(ms / STEP_MS) * STEP_MS;
  while (label(start - STEP_MS, interval, timeZone) === bucketLabel) start -= STEP_MS;
  starts.set(name, start);
  return start;
}

function nextBucket(start: number, interval: Interval, timeZone: string): number {
  let next = start + (interval === 'minute' ? 60_000 : STEP_MS);
  while (bucketStart(next, interval, timeZone) === start) next += STEP_MS;
  return next;
}

export type Counts = Record<Outcome | 'cost' | 'tokens' | 'requests', number>;

export function countOf(validations: readonly RecordedValidation[]): Counts {
  const columns = [...OUTCOMES, 'cost', 'tokens', 'requests'];
  const counts = Object.fromEntries(columns.map((column) => [column, 0])) as Counts;
  for (const { outcome, cost, tokens, requests = cost } of validations) {
    counts[outcome]++;
    if (outcome !== 'valid') continue;
    counts.cost += cost;
    counts.tokens += tokens;
    counts.requests += requests;
  }
  return counts;
}

function unitsOf({ cost, tokens, requests }: Counts): { units?: object } {
  const units = { ...(requests !== cost && { requests }), ...(tokens > 0 && { tokens }) };
  return Object.keys(units).length === 0 ? {} : { units };
}

const totalOf = (counts: Counts): number =>
  OUTCOMES.reduce((sum, outcome) => sum + counts[outcome], 0);

export const totalFields = (counts: Counts) => ({
  total: totalOf(counts),
  valid: counts.valid,
  rateLimited: counts.rate_limited,
  denied:
    counts.revoked +
    counts.expired +
    counts.domain_denied +
    counts.not_started +
    counts.ip_denied +
    counts.permission_denied,
  cost: counts.cost,
  ...unitsOf(counts),
});

/** Units are not counted by minute, nor for access keys. */
export const usageFields = (counts: Counts, hasUnits = true) => ({
  total: totalOf(counts),
  valid: counts.valid,
  rateLimited: counts.rate_limited,
  revoked: counts.revoked,
  expired: counts.expired,
  domainDenied: counts.domain_denied,
  unknown: counts.unknown,
  malformed: counts.malformed,
  notStarted: counts.not_started,
  ipDenied: counts.ip_denied,
  permissionDenied: counts.permission_denied,
  creditsExhausted: 0,
  cost: counts.cost,
  ...(hasUnits && unitsOf(counts)),
});

export interface Buckets {
  readonly interval: Interval;
  readonly timeZone: string;
  /** Inclusive and exclusive, as requested; null: open. */
  readonly from: number | null;
  readonly to: number | null;
}

/** Validations by the start of their bucket; those outside the range widened to whole buckets are left out. */
export function byBucket(
  validations: readonly RecordedValidation[],
  { interval, timeZone, from, to }: Buckets,
): Map<number, RecordedValidation[]> {
  const first = from === null ? 0 : bucketStart(from, interval, timeZone);
  const end =
    to === null
      ? Number.POSITIVE_INFINITY
      : nextBucket(bucketStart(to - 1, interval, timeZone), interval, timeZone);
  const inside = validations.filter(({ at }) => at >= first && at < end);
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
