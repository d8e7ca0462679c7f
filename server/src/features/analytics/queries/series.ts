import type { Kysely } from 'kysely';
import { KeywardError } from '../../../kernel/errors.ts';
import type { Listing, Slice } from '../../../kernel/route.ts';
import { isoTime } from '../../../kernel/time/clock.ts';
import type { Database } from '../../../storage/index.ts';
import { type BucketAt, bucketsBetween } from './calendar.ts';
import { type CountRange, type CountRow, readCounts, readUnits } from './counts-reader.ts';
import { decodeCursor, encodeCursor, type RowPosition, type SeriesPosition } from './cursor.ts';
import type { CountSelection } from './selections.ts';
import type { SeriesRange } from './series-range.ts';

/** One line of a chart: the counts of a key, project, custom id, plan, outcome or access key. */
export interface Series {
  readonly position: SeriesPosition;
  /** The group of its counts. */
  readonly group: string | number | null;
  /** No counts are older than this. */
  readonly since: number;
  totalOf(counts: readonly number[]): number;
  /** `units`: what was used of each unit. */
  row(date: string | null, counts: readonly number[], units: ReadonlyMap<string, number>): object;
}

type PageSelection = CountSelection | readonly CountSelection[];

export interface SeriesSource {
  /** Name of the sort order; a cursor of another order is rejected. */
  readonly order: string;
  readonly pageSize: number;
  /** Whether counts of keys are read; then the journal has to be folded first. */
  readonly readsKeys: boolean;
  page(range: SeriesRange): Promise<readonly Series[]>;
  /** Whether `page` skips the first `offset` series; it is 0 otherwise. */
  readonly skipsSeries?: boolean;
  /** Several selections must not share a group. */
  selection(series: readonly Series[]): PageSelection | Promise<PageSelection>;
}

/** Maximum number of buckets in one series, including empty ones. */
export const BUCKETS_MAX = 10_000;

export interface Fill {
  /** null: from `since` of each series. */
  readonly from: number | null;
  readonly until: number;
}

export interface SeriesQuery {
  readonly range: CountRange;
  /** null: one row per series, over the whole range. */
  readonly bucketAt: BucketAt | null;
  /** Range in which empty buckets get a row; null: they get none. */
  readonly fill: Fill | null;
  /** Whether units were used, whose sums have to be read too. */
  readonly hasUnits: boolean;
  /** A page ends after this many series, however few rows they have. A whole list has them all. */
  readonly seriesMax?: number;
  /** Whether each row has the cursor of the rows after it. */
  readonly withCursors?: boolean;
  /** Estimate of the highest number of rows of a series. */
  readonly rowsPerSeries: number;
  readonly limit: number | undefined;
  readonly offset: number;
  readonly cursor: string | undefined;
}

/** A row that is made when it is sent. */
interface PendingRow extends RowPosition {
  make(): object;
}

/** Rows sorted by series, then by date. */
export async function listSeries(
  db: Kysely<Database>,
  source: SeriesSource,
  query: SeriesQuery,
): Promise<Listing<object>> {
  const { limit, cursor } = query;
  const start = cursor === undefined ? null : decodeCursor(cursor, source.order);
  return { limit, slices: slicesOf() };

  async function* slicesOf(): AsyncGenerator<Slice<object>> {
    for await (const { rows, endsAt } of rowPages(db, source, query, start)) {
      const cursorAfter = (n: number) => encodeCursor(source.order, rows[n]!);
      yield {
        length: rows.length,
        item: (n) =>
          query.withCursors ? { ...rows[n]!.make(), cursor: cursorAfter(n) } : rows[n]!.make(),
        cursorAfter,
        ...(endsAt && { endsPageAt: encodeCursor(source.order, { position: endsAt, date: null }) }),
      };
    }
  }
}

async function* rowPages(
  db: Kysely<Database>,
  source: SeriesSource,
  query: SeriesQuery,
  start: RowPosition | null,
): AsyncGenerator<{ rows: readonly PendingRow[]; endsAt?: SeriesPosition }> {
  // A series without buckets is one row, so the database skips them. How many rows a series with buckets
  // has depends on its counts.
  const skipsSeries = query.bucketAt === null && source.skipsSeries === true;
  let rowsToSkip = skipsSeries ? 0 : query.offset;
  let seriesToSkip = skipsSeries ? query.offset : 0;
  let size = firstSize(source, query);
  let after = start?.position ?? null;
  let inclusive = start !== null && start.date !== null;
  let read = 0;
  for (;;) {
    const series = await source.page({ after, inclusive, size, offset: seriesToSkip });
    if (series.length === 0) return;
    const counts: CountRow[] = [];
    const units: CountRow[] = [];
    for (const selection of [await source.selection(series)].flat()) {
      counts.push(...(await readCounts(db, selection, query.range)));
      if (query.hasUnits) units.push(...(await readUnits(db, selection, query.range)));
    }
    const countsOf = Map.groupBy(counts, (row) => row.group);
    const unitsOf = Map.groupBy(units, (row) => row.group);
    const rows = series.flatMap((each) =>
      rowsOf(each, countsOf.get(each.group) ?? [], unitsOf.get(each.group) ?? [], query),
    );
    // The previous page ended within this series: continue after its last date.
    const firstNew = inclusive ? rows.findIndex((row) => !isAtOrBefore(row, start!)) : rowsToSkip;
    const fresh = firstNew === -1 ? [] : rows.slice(firstNew);
    read += series.length;
    const last = series.at(-1)!.position;
    const isLast = series.length < size;
    const endsPage = !isLast && query.limit !== undefined && read >= (query.seriesMax ?? Infinity);
    // Also without rows: every read of a whole list has its own time.
    yield { rows: fresh, ...(endsPage && { endsAt: last }) };
    if (isLast || endsPage) return;
    rowsToSkip = Math.max(0, rowsToSkip - rows.length);
    seriesToSkip = 0;
    after = last;
    inclusive = false;
    // Sparse series give fewer rows than estimated, so read more of them at a time.
    size = Math.min(2 * size, source.pageSize);
  }
}

/** Each read of counts has a cost of its own, so a page is not read in small parts. */
const SERIES_MIN = 100;

/** As many series as fill a page if all of their buckets have rows. */
function firstSize({ pageSize }: SeriesSource, { limit, rowsPerSeries }: SeriesQuery): number {
  if (limit === undefined) return pageSize;
  const full = Math.ceil((limit + 1) / rowsPerSeries) + 1;
  return Math.min(pageSize, Math.max(full, SERIES_MIN));
}

const isAtOrBefore = (row: RowPosition, other: RowPosition): boolean =>
  row.position.id === other.position.id && row.date! <= other.date!;

function rowsOf(
  series: Series,
  counts: readonly CountRow[],
  units: readonly CountRow[],
  query: SeriesQuery,
): readonly PendingRow[] {
  const { bucketAt } = query;
  const { position } = series;
  if (bucketAt === null) {
    const sum = addUp(counts);
    return [{ make: () => series.row(null, sum, sumUnits(units)), position, date: null }];
  }
  const buckets = Map.groupBy(counts, (row) => bucketAt(row.start).start);
  const unitBuckets = Map.groupBy(units, (row) => bucketAt(row.start).start);
  const rows: PendingRow[] = [];
  for (const date of datesOf(
    series,
    [...buckets.keys()].sort((a, b) => a - b),
    query,
  )) {
    const sum = addUp(buckets.get(date) ?? []);
    if (query.fill === null && series.totalOf(sum) === 0) continue;
    const used = unitBuckets.get(date) ?? [];
    rows.push({ make: () => series.row(isoTime(date), sum, sumUnits(used)), position, date });
  }
  return rows;
}

/** Starts of the buckets that get a row. */
function datesOf(series: Series, used: readonly number[], query: SeriesQuery): number[] {
  const { fill, range } = query;
  if (fill === null) return [...used];
  const bucketAt = query.bucketAt!;
  // Not before the range that was read: earlier counts are unknown, not zero.
  const since = bucketAt(fill.from ?? Math.max(series.since, range.from)).start;
  const from = Math.min(since, used[0] ?? since);
  const until = Math.max(fill.until, used.length > 0 ? bucketAt(used.at(-1)!).end : 0);
  const dates: number[] = [];
  for (const { start } of bucketsBetween(bucketAt, from, until)) {
    if (dates.length === BUCKETS_MAX)
      throw new KeywardError(
        'invalid_query',
        `The range has more than ${BUCKETS_MAX.toLocaleString('en')} buckets. Set from to a later time.`,
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

function sumUnits(rows: readonly CountRow[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { label, counts } of rows) sums.set(label!, (sums.get(label!) ?? 0) + counts[0]!);
  return sums;
}
