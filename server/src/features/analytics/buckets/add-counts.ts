import { type CompiledQuery, sql } from 'kysely';
import type { Storage, Tx } from '../../../storage/index.ts';
import {
  DAY_MS,
  floorTo,
  type Level,
  monthStart,
  QUARTER_MS,
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

/** Days and months are kept for ever and deleted with their key. */
const isPermanent = (level: Level): boolean => level === 'days' || level === 'months';

/** Primary key of a table: permanent levels are stored by owner, the others by time. */
export const keyOf = (level: Level) =>
  isPermanent(level) ? [sql.ref('seq'), sql.ref('start')] : [sql.ref('start'), sql.ref('seq')];

/**
 * Parameters: start, seq, and the counts in the order of `kind.columns`; for permanent levels seq
 * again, because the key may have been erased since.
 */
function addStatement(tx: Tx, kind: UsageKind, level: Level): CompiledQuery {
  const table = kind.tables[level]!;
  const values = [0, 0, ...kind.columns.map(() => 0)].map((n) => sql`cast(${n} as bigint)`);
  const source = isPermanent(level)
    ? sql`select ${sql.join(values)}
        where exists (select 1 from ${sql.table(kind.owner)} where seq = cast(${0} as bigint))`
    : sql`values (${sql.join(values)})`;
  return sql`insert into ${sql.table(table)} (start, seq, ${countColumns(kind)}) ${source}
    on conflict (${sql.join(keyOf(level))}) do update set ${addExcluded(table, kind)}`.compile(tx);
}

/** seq and counts. */
type CountRow = readonly number[];

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
  rows: readonly CountRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await add(storage, tx, kind, 'minutes', minute, rows);
  const marks = await lockWatermarks(tx, storage.engine, kind, 'share');
  const quarter = floorTo(minute, QUARTER_MS);
  const late = rows.filter(([seq]) => isRolledUp(marks.minutes, quarter, seq!));
  if (late.length === 0) return;
  await add(storage, tx, kind, 'quarters', quarter, late);
  const day = floorTo(minute, DAY_MS);
  const lateForDay = late.filter(([seq]) => isRolledUp(marks.quarters, day, seq!));
  await add(storage, tx, kind, 'days', day, lateForDay);
  if (kind.tables.months) await add(storage, tx, kind, 'months', monthStart(minute), lateForDay);
}

const isRolledUp = ({ until, cursor }: Watermark, unit: number, seq: number): boolean =>
  unit < until || (unit === until && seq <= cursor);

function add(
  storage: Storage,
  tx: Tx,
  kind: UsageKind,
  level: Level,
  start: number,
  rows: readonly CountRow[],
): Promise<void> {
  const parameters = rows.map((row) =>
    isPermanent(level) ? [start, ...row, row[0]!] : [start, ...row],
  );
  return storage.executeMany(tx, addStatement(tx, kind, level), parameters);
}
