import { type CompiledQuery, sql } from 'kysely';
import type { Storage, Tx } from '../../../storage/index.ts';
import {
  ACCESS_KEYS,
  DAY_MS,
  floorTo,
  KEYS,
  type Level,
  monthStart,
  PROJECTS,
  QUARTER_MS,
  type Subject,
} from '../usage-kinds.ts';
import { GroupedStatement } from './grouped-statement.ts';
import { lockWatermarks, type Watermark } from './watermarks.ts';

/** `x = x + excluded.x` for each outcome: adding is the only thing ever done to a count. */
export const addExcluded = (table: string, subject: Subject) =>
  sql.join(
    subject.outcomes.map(
      (outcome) =>
        sql`${sql.ref(outcome)} = ${sql.ref(`${table}.${outcome}`)} + ${sql.ref(`excluded.${outcome}`)}`,
    ),
  );

export const outcomeColumns = (subject: Subject) =>
  sql.join(subject.outcomes.map((o) => sql.ref(o)));

/** Each row is start, seq, and the counts in the order of the subject's outcomes. */
function addStatement(tx: Tx, subject: Subject, level: Level, rows = 1): CompiledQuery {
  const table = subject.tables[level]!;
  const values = sql.join([0, 0, ...subject.outcomes.map(() => 0)]);
  // What is kept for ever goes with its key; what is not may tell of a key erased since.
  const source =
    level === 'days' || level === 'months'
      ? sql`select ${sql.join([0, 0, ...subject.outcomes.map(() => 0)].map((n) => sql`cast(${n} as bigint)`))}
            where exists (select 1 from ${sql.table(subject.owner)} where seq = cast(${0} as bigint))`
      : sql`values ${sql.join(Array.from({ length: rows }, () => sql`(${values})`))}`;
  return sql`insert into ${sql.table(table)} (start, seq, ${outcomeColumns(subject)}) ${source}
    on conflict (${sql.join(keyOf(level))}) do update set ${addExcluded(table, subject)}`.compile(
    tx,
  );
}

export const keyOf = (level: Level) =>
  level === 'days' || level === 'months'
    ? [sql.ref('seq'), sql.ref('start')]
    : [sql.ref('start'), sql.ref('seq')];

type CountRow = readonly number[];

const intoMinutes = (subject: Subject): GroupedStatement =>
  new GroupedStatement((tx, rows) => addStatement(tx, subject, 'minutes', rows));
const INTO_MINUTES: Record<Subject['name'], GroupedStatement> = {
  key: intoMinutes(KEYS),
  'access-key': intoMinutes(ACCESS_KEYS),
  project: intoMinutes(PROJECTS),
};

/**
 * Adds the counts of one minute. `rows` are seq and counts, by seq. A minute that has been summed
 * up already (a clock that was set back, a node that was slow) is added to the sums as well.
 */
export async function addMinute(
  storage: Storage,
  tx: Tx,
  subject: Subject,
  minute: number,
  rows: readonly CountRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await INTO_MINUTES[subject.name].run(
    storage,
    tx,
    rows.map((row) => [minute, ...row]),
  );
  const marks = await lockWatermarks(tx, storage.engine, subject, 'share');
  const quarter = floorTo(minute, QUARTER_MS);
  const late = rows.filter(([seq]) => isRolled(marks.minutes, quarter, seq!));
  if (late.length === 0) return;
  await add(storage, tx, subject, 'quarters', quarter, late);
  const day = floorTo(minute, DAY_MS);
  const later = late.filter(([seq]) => isRolled(marks.quarters, day, seq!));
  await add(storage, tx, subject, 'days', day, later);
  if (subject.tables.months) await add(storage, tx, subject, 'months', monthStart(minute), later);
}

const isRolled = ({ until, cursor }: Watermark, unit: number, seq: number): boolean =>
  unit < until || (unit === until && seq <= cursor);

const LASTING: ReadonlySet<Level> = new Set(['days', 'months']);

function add(
  storage: Storage,
  tx: Tx,
  subject: Subject,
  level: Level,
  start: number,
  rows: readonly CountRow[],
): Promise<void> {
  const isLasting = LASTING.has(level);
  const full = rows.map((row) => (isLasting ? [start, ...row, row[0]!] : [start, ...row]));
  return storage.executeMany(tx, addStatement(tx, subject, level), full);
}
