import type { Kysely } from 'kysely';
import { isoTime } from '../../../kernel/clock.ts';
import { KeywardError } from '../../../kernel/errors.ts';
import type { Listing } from '../../../kernel/route.ts';
import type { Database } from '../../../storage/index.ts';
import { type BucketAt, bucketsBetween } from './calendar.ts';
import { type Asked, type CountRow, type Members, readCounts } from './counts-reader.ts';
import { decodeCursor, encodeCursor, type Place, type Position } from './cursor.ts';

/** One line of a chart, or of a table: a key, a project, a customer, an outcome. */
export interface Series {
  readonly position: Position;
  /** As the counts tell it apart. */
  readonly group: string | number | null;
  /** Where its time begins. */
  readonly since: number;
  totalOf(counts: readonly number[]): number;
  row(date: string | null, counts: readonly number[]): object;
}

type MembersOfPage = Members | readonly Members[];

export interface SeriesSource {
  /** Names the order, so that a cursor of another one is refused. */
  readonly order: string;
  readonly pageSize: number;
  /** Whether anything that is told of keys is read: the journal has to be added to it first. */
  readonly readsKeys: boolean;
  /** `inclusive`: from the place itself, else from what follows it. */
  page(after: Position | null, inclusive: boolean, size: number): Promise<readonly Series[]>;
  /** Several when counts of more than one subject are asked for: then no group is in two of them. */
  members(series: readonly Series[]): MembersOfPage | Promise<MembersOfPage>;
}

/** Of one series, used or not. */
export const BUCKETS_MAX = 10_000;

export interface Fill {
  /** null: from the beginning of each series. */
  readonly from: number | null;
  readonly until: number;
}

export interface SeriesQuestion {
  readonly asked: Asked;
  /** null: one row a series, over the whole time. */
  readonly bucketAt: BucketAt | null;
  /** Whether buckets without a use have rows too. */
  readonly fill: Fill | null;
  /** At most, as far as is known. */
  readonly rowsPerSeries: number;
  readonly limit: number | undefined;
  readonly cursor: string | undefined;
}

interface PlacedRow extends Place {
  readonly row: object;
}

/** Rows by series, and by date within a series. */
export async function listSeries(
  db: Kysely<Database>,
  source: SeriesSource,
  question: SeriesQuestion,
): Promise<Listing<object>> {
  const { limit, cursor } = question;
  const start = cursor === undefined ? null : decodeCursor(cursor, source.order);
  const pages = rowPages(db, source, question, start);
  if (limit === undefined) return { pages: rowsOnly(pages) };
  const rows: PlacedRow[] = [];
  for await (const page of pages) {
    rows.push(...page);
    if (rows.length > limit) break;
  }
  const page = rows.slice(0, limit);
  const next = rows.length > limit ? encodeCursor(source.order, page.at(-1)!) : null;
  return { page: page.map(({ row }) => row), next };
}

async function* rowsOnly(pages: AsyncIterable<readonly PlacedRow[]>) {
  for await (const page of pages) yield page.map(({ row }) => row);
}

async function* rowPages(
  db: Kysely<Database>,
  source: SeriesSource,
  question: SeriesQuestion,
  start: Place | null,
): AsyncGenerator<readonly PlacedRow[]> {
  let size = firstSize(source, question);
  let after = start?.position ?? null;
  let inclusive = start !== null && start.date !== null;
  for (;;) {
    const series = await source.page(after, inclusive, size);
    if (series.length === 0) return;
    const counts: CountRow[] = [];
    for (const members of [await source.members(series)].flat())
      counts.push(...(await readCounts(db, members, question.asked)));
    const byGroup = Map.groupBy(counts, (row) => row.group);
    const rows = series.flatMap((each) => rowsOf(each, byGroup.get(each.group) ?? [], question));
    // The series that the page before ended in goes on after its last date.
    const seen = inclusive ? rows.findIndex((row) => !isBehind(row, start!)) : 0;
    const fresh = seen === -1 ? [] : rows.slice(seen);
    if (fresh.length > 0) yield fresh;
    if (series.length < size) return;
    after = series.at(-1)!.position;
    inclusive = false;
    // Sparse ones give fewer rows than expected: then more of them are read at once.
    size = Math.min(2 * size, source.pageSize);
  }
}

/** No more series than a page needs, when all of their buckets are in use. */
function firstSize({ pageSize }: SeriesSource, { limit, rowsPerSeries }: SeriesQuestion): number {
  if (limit === undefined) return pageSize;
  return Math.min(pageSize, Math.ceil((limit + 1) / rowsPerSeries) + 1);
}

const isBehind = (row: Place, place: Place): boolean =>
  row.position.id === place.position.id && row.date! <= place.date!;

function rowsOf(series: Series, counts: readonly CountRow[], question: SeriesQuestion) {
  const { bucketAt } = question;
  if (bucketAt === null) {
    const sum = addUp(counts);
    return [{ row: series.row(null, sum), position: series.position, date: null }];
  }
  const buckets = new Map<number, CountRow[]>();
  for (const row of counts) {
    const { start } = bucketAt(row.start);
    const found = buckets.get(start);
    if (found === undefined) buckets.set(start, [row]);
    else found.push(row);
  }
  const rows: PlacedRow[] = [];
  for (const date of datesOf(
    series,
    [...buckets.keys()].sort((a, b) => a - b),
    question,
  )) {
    const sum = addUp(buckets.get(date) ?? []);
    if (question.fill === null && series.totalOf(sum) === 0) continue;
    rows.push({ row: series.row(isoTime(date), sum), position: series.position, date });
  }
  return rows;
}

/** With or without those in which nothing happened. */
function datesOf(series: Series, used: readonly number[], question: SeriesQuestion): number[] {
  const { fill, asked } = question;
  if (fill === null) return [...used];
  const bucketAt = question.bucketAt!;
  // Before what is read, nothing is known: a zero there would be a lie.
  const since = bucketAt(fill.from ?? Math.max(series.since, asked.from)).start;
  const from = Math.min(since, used[0] ?? since);
  const until = Math.max(fill.until, used.length > 0 ? bucketAt(used.at(-1)!).end : 0);
  const dates: number[] = [];
  for (const { start } of bucketsBetween(bucketAt, from, until)) {
    if (dates.length === BUCKETS_MAX)
      throw new KeywardError(
        'invalid_query',
        `These are more than ${BUCKETS_MAX.toLocaleString('en')} buckets: from must name a later time.`,
      );
    dates.push(start);
  }
  return dates;
}

function addUp(rows: readonly CountRow[]): number[] {
  const sum: number[] = [];
  for (const { counts } of rows)
    for (let i = 0; i < counts.length; i++) sum[i] = (sum[i] ?? 0) + counts[i]!;
  return sum;
}
