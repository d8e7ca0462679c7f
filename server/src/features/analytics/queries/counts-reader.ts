import { isDeepStrictEqual } from 'node:util';
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '../../../storage/index.ts';
import { readWatermarks } from '../buckets/watermarks.ts';
import { KEYS, type Subject, timesBetween } from '../usage-kinds.ts';
import { all } from './scope.ts';
import { type Grain, type Reach, type Segment, segmentsOf, UNIT_MS } from './segments.ts';

/** Whose counts are asked for, and what they are put together by. `m` is the subject's own table. */
export interface Members {
  readonly subject: Subject;
  readonly where: RawBuilder<SqlBool>;
  /** A column of `m`, or a constant. */
  readonly group: RawBuilder<unknown>;
  /** Few enough to be looked up one by one; else everything in the time asked for is read. */
  readonly areFew: boolean;
}

export interface Asked {
  readonly from: number;
  readonly until: number;
  readonly grain: Grain;
  /** Nothing but the sum over the whole time is wanted. */
  readonly asOne: boolean;
}

export interface CountRow {
  readonly group: string | number | null;
  /** Start of the unit; 0 when the whole time was asked for as one. */
  readonly start: number;
  /** In the order of the subject's outcomes. */
  readonly counts: readonly number[];
}

/** Marks move every quarter of an hour; only a database that has fallen far behind moves on. */
const READS_MAX = 20;

export function readCounts(
  db: Kysely<Database>,
  members: Members,
  asked: Asked,
): Promise<CountRow[]> {
  return whileMarksStandStill(db, members.subject, async (marks) => {
    const rows: CountRow[] = [];
    for (const segment of await plan(db, members.subject, asked, marks))
      rows.push(...(await readSegment(db, members, segment, asked.asOne)));
    return rows;
  });
}

export type Marks = Omit<Reach, 'hasMonths'>;

/**
 * Makes what `read` answers exact at the moment of the answer. The stretches come from several
 * statements, and a mark that moves between two of them would leave out or double what it passed;
 * marks only go up, so that equal before and after means still. A day that is begun in between is
 * either still half done after, or over.
 */
export async function whileMarksStandStill<T>(
  db: Kysely<Database>,
  subject: Subject,
  read: (marks: Marks) => Promise<T>,
): Promise<T> {
  for (let reads = 1; ; reads++) {
    const before = await marksOf(db, subject);
    const answer = await read(before);
    const after = await marksOf(db, subject);
    if (isDeepStrictEqual(before, after)) return answer;
    if (reads >= READS_MAX) throw new Error('Usage is being summed up faster than it can be read.');
  }
}

async function marksOf(db: Kysely<Database>, subject: Subject): Promise<Marks> {
  const marks = await readWatermarks(db, subject);
  return {
    quartersUntil: marks.minutes.until,
    daysUntil: marks.quarters.until,
    isDayHalfDone: marks.quarters.cursor > 0,
  };
}

/** Stretches before the first row of a recent table are left out: they would be looked up in vain. */
export async function plan(
  db: Kysely<Database>,
  subject: Subject,
  { from, until, grain }: Asked,
  marks: Marks,
): Promise<Segment[]> {
  const reach = { ...marks, hasMonths: subject.tables.months !== undefined };
  const segments: Segment[] = [];
  for (const segment of segmentsOf(from, until, grain, reach)) {
    if (segment.level === 'days' || segment.level === 'months') {
      segments.push(segment);
      continue;
    }
    const table = sql.table(subject.tables[segment.level]);
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
  members: Members,
  segment: Segment,
  asOne: boolean,
): Promise<CountRow[]> {
  const { subject, group } = members;
  const start = asOne ? sql`0` : sql.ref('u.start');
  const sums = sql.join(
    subject.outcomes.map(
      (outcome) => sql`cast(sum(${sql.ref(`u.${outcome}`)}) as bigint) as ${sql.ref(outcome)}`,
    ),
  );
  const { rows } = await sql<{ grp: string | number | null } & Record<string, number>>`
    ${source(members, segment, sql`select ${group} as grp, ${start} as start, ${sums}`)}
    group by ${asOne ? sql`1` : sql`1, 2`}`.execute(db);
  return rows.map((row) => ({
    group: row.grp,
    start: row.start!,
    counts: subject.outcomes.map((outcome) => row[outcome]!),
  }));
}

/** The joins are written in the order in which they must be made: SQLite keeps that of cross joins. */
export function source(
  { subject, where, areFew }: Members,
  { level, from, until }: Segment,
  select: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const owner = sql`${sql.table(subject.owner)} as m`;
  const table = sql`${sql.table(subject.tables[level]!)} as u`;
  const within = sql`u.seq = m.seq and ${where}`;
  if (level === 'days' || level === 'months')
    return sql`${select} from ${owner} cross join ${table}
      where ${within} and u.start >= ${from} and u.start < ${until}`;
  if (!areFew)
    return sql`${select} from ${table} cross join ${owner}
      where u.start >= ${from} and u.start < ${until} and ${within}`;
  return sql`with recursive ${timesBetween(from, until, UNIT_MS[level])}
    ${select} from times cross join ${owner} cross join ${table}
    where u.start = times.start and ${within}`;
}

/** Looking up each of so many in every quarter-hour costs less than reading all there is. */
const FEW = 1_000;

/** Exactly these, each a group of its own. */
export const bySeq = (subject: Subject, seqs: readonly number[]): Members => ({
  subject,
  where: sql<SqlBool>`m.seq in (${sql.join(seqs)})`,
  group: sql.ref('m.seq'),
  areFew: true,
});

/** Keys that fulfil all conditions, put together by one of their columns or all as one. */
export const keyMembers = (
  db: Kysely<Database>,
  conditions: readonly RawBuilder<SqlBool>[],
  group: RawBuilder<unknown>,
): Promise<Members> => membersOf(db, KEYS, conditions, group);

export async function membersOf(
  db: Kysely<Database>,
  subject: Subject,
  conditions: readonly RawBuilder<SqlBool>[],
  group: RawBuilder<unknown>,
): Promise<Members> {
  const where = all(conditions);
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from
      (select 1 from ${sql.table(subject.owner)} as m where ${where} limit ${FEW + 1}) as few
  `.execute(db);
  return { subject, where, group, areFew: Number(rows[0]!.count) <= FEW };
}
