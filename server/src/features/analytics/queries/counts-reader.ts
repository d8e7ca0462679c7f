import { isDeepStrictEqual } from 'node:util';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../../../storage/index.ts';
import { readWatermarks } from '../buckets/watermarks.ts';
import { timesBetween, type UsageKind } from '../usage-kinds.ts';
import { selectResources, selectUnits } from './parts.ts';
import { type Grain, type Reach, type Segment, segmentsOf, UNIT_MS } from './segments.ts';
import { type CountSelection, isOwner, owners, ownersOfCounts } from './selections.ts';

export interface CountRange {
  readonly from: number;
  readonly until: number;
  readonly grain: Grain;
  /** Only the sum over the whole range is needed. */
  readonly asOne: boolean;
  /** Only the counts of this resource; null: by resource, of all of them; undefined: all counts. */
  readonly resource?: string | null;
}

export interface CountRow {
  readonly group: string | number | null;
  readonly label: string | null;
  /** Start of the unit; 0 when `asOne` was set. */
  readonly start: number;
  /** In the order of `kind.columns`. */
  readonly counts: readonly number[];
}

/** Watermarks move every quarter-hour, so a retry is rare unless the roll-up is far behind. */
const READS_MAX = 20;

export async function readCounts(
  db: Kysely<Database>,
  selection: CountSelection,
  range: CountRange,
): Promise<CountRow[]> {
  return readSelection(db, await ofResource(db, selection, range), range);
}

/** Restricts a selection to the resource of the range. */
export const ofResource = async (
  db: Kysely<Database>,
  selection: CountSelection,
  { resource }: CountRange,
): Promise<CountSelection> =>
  resource === undefined ? selection : selectResources(db, selection, resource);

/** What the owners used of each unit, which is the label of a row. */
export async function readUnits(
  db: Kysely<Database>,
  selection: CountSelection,
  range: CountRange,
): Promise<CountRow[]> {
  const units = await selectUnits(db, selection, range.resource ?? null);
  return units === null ? [] : readSelection(db, units, range);
}

function readSelection(
  db: Kysely<Database>,
  selection: CountSelection,
  range: CountRange,
): Promise<CountRow[]> {
  return readConsistently(db, selection.kind, async (marks) => {
    const rows: CountRow[] = [];
    for (const segment of await segmentsToRead(db, selection.kind, range, marks))
      rows.push(...(await readSegment(db, selection, segment, range.asOne)));
    return rows;
  });
}

export type Marks = Omit<Reach, 'hasMonths'>;

/**
 * Repeats `read` until no watermark has moved meanwhile. The segments are read by several statements;
 * a watermark that moves between two of them would make counts missing or double. Watermarks only
 * grow, so equal values before and after mean that none moved. If the roll-up of a day starts in between,
 * `isDayPartial` or `daysUntil` differs.
 */
export async function readConsistently<T>(
  db: Kysely<Database>,
  kind: UsageKind,
  read: (marks: Marks) => Promise<T>,
): Promise<T> {
  for (let reads = 1; ; reads++) {
    const before = await marksOf(db, kind);
    const result = await read(before);
    const after = await marksOf(db, kind);
    if (isDeepStrictEqual(before, after)) return result;
    if (reads >= READS_MAX)
      throw new Error(`Usage was rolled up during each of ${READS_MAX} reads of it; retry later.`);
  }
}

async function marksOf(db: Kysely<Database>, kind: UsageKind): Promise<Marks> {
  const marks = await readWatermarks(db, kind);
  return {
    quartersUntil: marks.minutes.until,
    daysUntil: marks.quarters.until,
    isDayPartial: marks.quarters.cursor > 0,
  };
}

/** In the tables of minutes and quarter-hours, leaves out times before the first and after the last row. */
export async function segmentsToRead(
  db: Kysely<Database>,
  kind: UsageKind,
  { from, until, grain }: CountRange,
  marks: Marks,
): Promise<Segment[]> {
  const reach = { ...marks, hasMonths: kind.tables.months !== undefined };
  const segments: Segment[] = [];
  for (const segment of segmentsOf(from, until, grain, reach)) {
    if (segment.level === 'days' || segment.level === 'months') {
      segments.push(segment);
      continue;
    }
    const table = sql.table(kind.tables[segment.level]!);
    const { rows } = await sql<{ first: number | null; last: number | null }>`
      select (select min(start) from ${table}) as first,
        (select max(start) from ${table}) as last`.execute(db);
    const { first, last } = rows[0]!;
    const begin = Math.max(segment.from, first ?? segment.until);
    const end = Math.min(segment.until, (last ?? segment.from) + UNIT_MS[segment.level]);
    if (begin < end) segments.push({ level: segment.level, from: begin, until: end });
  }
  return segments;
}

async function readSegment(
  db: Kysely<Database>,
  selection: CountSelection,
  segment: Segment,
  asOne: boolean,
): Promise<CountRow[]> {
  const { kind, group, label = sql`null` } = selection;
  const start = asOne ? sql`0` : sql.ref('u.start');
  const sums = sql.join(
    kind.columns.map(
      (column) => sql`cast(sum(${sql.ref(`u.${column}`)}) as bigint) as ${sql.ref(column)}`,
    ),
  );
  const select = sql`select ${group} as grp, ${label} as label, ${start} as start, ${sums}`;
  const counts = await countsQuery(db, selection, segment, select);
  const columns = [1, ...(selection.label === undefined ? [] : [2]), ...(asOne ? [] : [3])];
  const { rows } = await sql<
    { grp: string | number | null; label: string | null } & Record<string, number>
  >`${counts} group by ${sql.join(columns.map((column) => sql.lit(column)))}`.execute(db);
  return rows.map((row) => ({
    group: row.grp,
    label: row.label,
    start: row.start!,
    counts: kind.columns.map((column) => row[column]!),
  }));
}

/** Lookups that cost no more than 20 ms of CPU: PostgreSQL takes 4 µs for one. */
const LOOKUPS_MAX = 5_000;
/** Both engines read this many rows of a range in the time of one lookup. */
const ROWS_PER_LOOKUP = 8;
/** Counting this many rows takes about 10 ms. */
const ROWS_COUNTED_MAX = 200_000;

/**
 * Each owner is looked up in each unit of time, unless reading the rows that exist is less work: 165,000 rows
 * in 2,880 minutes, for example, are 57 rows a minute, and a page of keys has 500 owners.
 */
async function countsQuery(
  db: Kysely<Database>,
  selection: CountSelection,
  segment: Segment,
  select: RawBuilder<unknown>,
): Promise<RawBuilder<unknown>> {
  const { level, from, until } = segment;
  const { seqs = [], isSmall, kind } = selection;
  const units = level === 'minutes' || level === 'quarters' ? (until - from) / UNIT_MS[level] : 0;
  const lookups = Math.ceil(units) * seqs.length;
  if (!isSmall || lookups <= LOOKUPS_MAX) return countsFrom(selection, segment, select);
  if (isDense(seqs)) return countsBetween(selection, seqs, segment, select);
  const most = Math.min(ROWS_PER_LOOKUP * lookups, ROWS_COUNTED_MAX);
  return (await hasMoreRows(db, kind, segment, most))
    ? countsFrom(selection, segment, select)
    : countsOf(selection, seqs, segment, select);
}

/** Whether the owners are close to each other by `seq`, as keys of a page that were created one after the other. */
const isDense = (seqs: readonly number[]): boolean =>
  Math.max(...seqs) - Math.min(...seqs) < 4 * seqs.length;

async function hasMoreRows(
  db: Kysely<Database>,
  kind: UsageKind,
  { level, from, until }: Segment,
  most: number,
): Promise<boolean> {
  const { rows } = await sql<{ count: number | string }>`select count(*) as count
    from (select 1 from ${sql.table(kind.tables[level]!)}
      where start >= ${from} and start < ${until} limit ${most + 1}) as counted`.execute(db);
  return Number(rows[0]!.count) > most;
}

/**
 * Reads all rows of the range, and keeps those of the owners. `u.seq + 0` prevents the use of an index, with which
 * both databases would look up every owner.
 */
const countsOf = (
  selection: CountSelection,
  seqs: readonly number[],
  { level, from, until }: Segment,
  select: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`${select} from ${sql.table(selection.kind.tables[level]!)} as u
    cross join ${ownersOfCounts(selection)}
  where u.start >= ${from} and u.start < ${until}
    and u.seq + 0 in (${sql.join(seqs)}) and ${isOwner(selection)}`;

/** In each unit, reads the rows between the first and the last owner. */
function countsBetween(
  selection: CountSelection,
  seqs: readonly number[],
  { level, from, until }: Segment,
  select: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`with recursive ${timesBetween(from, until, UNIT_MS[level as keyof typeof UNIT_MS])}
    ${select} from times cross join ${sql.table(selection.kind.tables[level]!)} as u
      cross join ${ownersOfCounts(selection)}
    where u.start = times.start and u.seq >= ${Math.min(...seqs)} and u.seq <= ${Math.max(...seqs)}
      and u.seq + 0 in (${sql.join(seqs)}) and ${isOwner(selection)}`;
}

/** Reads one segment. SQLite runs cross joins in the order written here, which uses the indexes. */
export function countsFrom(
  selection: CountSelection,
  { level, from, until }: Segment,
  select: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const { kind, where, isSmall } = selection;
  const owner = owners(selection);
  const table = sql`${sql.table(kind.tables[level]!)} as u`;
  const within = sql`${isOwner(selection)} and ${where}`;
  if (level === 'days' || level === 'months')
    return sql`${select} from ${owner} cross join ${table}
      where ${within} and u.start >= ${from} and u.start < ${until}`;
  if (!isSmall)
    return sql`${select} from ${table} cross join ${ownersOfCounts(selection)}
      where u.start >= ${from} and u.start < ${until} and ${within}`;
  return sql`with recursive ${timesBetween(from, until, UNIT_MS[level])}
    ${select} from times cross join ${owner} cross join ${table}
    where u.start = times.start and ${within}`;
}
