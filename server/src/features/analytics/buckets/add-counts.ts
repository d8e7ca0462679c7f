import { sql } from 'kysely';
import { executeMany, type Storage, type Tx } from '../../../storage/index.ts';
import {
  DAY_MS,
  floorTo,
  type Level,
  monthStart,
  QUARTER_HOUR_MS,
  type UsageKind,
} from '../usage-kinds.ts';
import { lockWatermarks, type Watermark } from './watermarks.ts';

/** `x = x + excluded.x` for each column: counts are only ever added to. */
export const addExcluded = (table: string, kind: UsageKind) =>
  sql.join(
    kind.columns.map(
      (column) =>
        sql`${sql.ref(column)} = ${sql.ref(`${table}.${column}`)} + ${sql.ref(`excluded.${column}`)}`,
    ),
  );

export const countColumns = (kind: UsageKind) =>
  sql.join(kind.columns.map((column) => sql.ref(column)));

/** Days and months are kept until their key is erased. */
const isPermanent = (level: Level): boolean => level === 'days' || level === 'months';

/** Primary key of a table: permanent levels are stored by owner, the others by time. */
export const primaryKeyOf = (level: Level) =>
  isPermanent(level) ? [sql.ref('seq'), sql.ref('start')] : [sql.ref('start'), sql.ref('seq')];

/** seq and counts. */
type OwnerCounts = readonly number[];

/**
 * Adds the counts of one minute. `rows` are sorted by seq, so that concurrent transactions lock them
 * in the same order. If the minute is already rolled up (the clock was set back, or a node was slow),
 * the counts are added to the higher levels too.
 */
export async function addMinute(
  storage: Storage,
  tx: Tx,
  kind: UsageKind,
  minute: number,
  rows: readonly OwnerCounts[],
): Promise<void> {
  if (rows.length === 0) return;
  if (kind.tables.minutes !== undefined) await add(tx, kind, 'minutes', minute, rows);
  const marks = await lockWatermarks(tx, storage.engine, kind, 'share');
  const quarter = floorTo(minute, QUARTER_HOUR_MS);
  const late = rows.filter(([seq]) => isRolledUp(marks.minutes, quarter, seq!));
  if (late.length === 0) return;
  await add(tx, kind, 'quarters', quarter, late);
  const day = floorTo(minute, DAY_MS);
  const lateForDay = late.filter(([seq]) => isRolledUp(marks.quarters, day, seq!));
  await add(tx, kind, 'days', day, lateForDay);
  if (kind.tables.months) await add(tx, kind, 'months', monthStart(minute), lateForDay);
}

const isRolledUp = ({ until, cursor }: Watermark, unit: number, seq: number): boolean =>
  unit < until || (unit === until && seq <= cursor);

/** Adds rows to one level. Permanent levels get nothing for keys that were erased in the meantime. */
function add(
  tx: Tx,
  kind: UsageKind,
  level: Level,
  start: number,
  rows: readonly OwnerCounts[],
): Promise<void> {
  const table = kind.tables[level]!;
  return executeMany(tx, rows, (row) => {
    const counts = kind.columns.map((_, n) => row[n + 1]);
    const values = sql.join(
      [start, row[0], ...counts].map((value) => sql`cast(${value} as bigint)`),
    );
    const source = isPermanent(level)
      ? sql`select ${values}
          where exists (select 1 from ${sql.table(kind.owner)} where seq = cast(${row[0]} as bigint))`
      : sql`values (${values})`;
    return sql`insert into ${sql.table(table)} (start, seq, ${countColumns(kind)}) ${source}
      on conflict (${sql.join(primaryKeyOf(level))}) do update set ${addExcluded(table, kind)}`;
  });
}
