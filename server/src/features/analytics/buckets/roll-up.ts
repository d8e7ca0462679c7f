import { type RawBuilder, sql } from 'kysely';
import type { Storage, Tx } from '../../../storage/index.ts';
import {
  DAY_MS,
  floorTo,
  type Level,
  MINUTE_MS,
  monthStart,
  QUARTER_HOUR_MS,
  timesBetween,
  type UsageKind,
} from '../usage-kinds.ts';
import { addExcluded, countColumns, primaryKeyOf } from './add-counts.ts';
import {
  lockWatermarks,
  maintenanceLock,
  moveWatermark,
  type RolledLevel,
  type Watermark,
} from './watermarks.ts';

/** A quarter-hour is rolled up this long after its end, when its last flush is usually written. */
const GRACE_MS = MINUTE_MS;

interface Roll {
  readonly from: RolledLevel;
  readonly fromMs: number;
  readonly unitMs: number;
  readonly into: readonly Level[];
  /** Range of seq rolled up in one transaction: about 8,000 source rows at most. */
  readonly width: number;
}

const ROLLS: readonly Roll[] = [
  { from: 'minutes', fromMs: MINUTE_MS, unitMs: QUARTER_HOUR_MS, into: ['quarters'], width: 500 },
  {
    from: 'quarters',
    fromMs: QUARTER_HOUR_MS,
    unitMs: DAY_MS,
    into: ['days', 'months'],
    width: 80,
  },
];

/**
 * One step of the roll-up. In one transaction, adds the counts of some owners to the next level and
 * advances the watermark past them, so a crash neither loses nor doubles counts. False if there was
 * nothing to do.
 */
export async function rollUpStep(storage: Storage, kind: UsageKind, now: number): Promise<boolean> {
  for (const roll of ROLLS)
    if (await storage.transaction((tx) => rollSome(storage, tx, kind, roll, now))) return true;
  return false;
}

async function rollSome(
  storage: Storage,
  tx: Tx,
  kind: UsageKind,
  roll: Roll,
  now: number,
): Promise<boolean> {
  if (!(await storage.tryLock(tx, maintenanceLock(kind)))) return false;
  const marks = await lockWatermarks(tx, storage.engine, kind, 'update');
  const rollableUntil =
    roll.from === 'minutes'
      ? floorTo(now - GRACE_MS, QUARTER_HOUR_MS)
      : floorTo(Math.min(marks.minutes.until, now - GRACE_MS), DAY_MS);
  const mark = marks[roll.from];
  if (mark.until >= rollableUntil) return false;
  await moveWatermark(tx, kind, roll.from, await rollRange(tx, kind, roll, mark, rollableUntil));
  return true;
}

async function rollRange(
  tx: Tx,
  kind: UsageKind,
  roll: Roll,
  { until, cursor }: Watermark,
  rollableUntil: number,
): Promise<Watermark> {
  const table = sql.table(kind.tables[roll.from]!);
  if (cursor === 0) {
    const oldest = await firstNumber(
      tx,
      sql`select min(start) as n from ${table} where start >= ${until} and start < ${rollableUntil}`,
    );
    if (oldest === null) return { until: rollableUntil, cursor: 0 };
    const unit = floorTo(oldest, roll.unitMs);
    // There are no rows between the watermark and this unit: skip to it.
    if (unit > until) return { until: unit, cursor: 0 };
  }
  const lowest = await firstNumber(
    tx,
    sql`with recursive ${timesBetween(until, until + roll.unitMs, roll.fromMs)}
      select min((select seq from ${table} as t where t.start = times.start and t.seq > ${cursor}
        order by seq limit 1)) as n from times`,
  );
  if (lowest === null) return { until: until + roll.unitMs, cursor: 0 };
  const highest = lowest + roll.width - 1;
  for (const level of roll.into)
    if (kind.tables[level] !== undefined)
      await sumInto(tx, kind, roll, level, until, lowest, highest);
  return { until, cursor: highest };
}

async function firstNumber(tx: Tx, query: RawBuilder<unknown>): Promise<number | null> {
  const { rows } = await (query as RawBuilder<{ n: number | null }>).execute(tx);
  return rows[0]?.n ?? null;
}

async function sumInto(
  tx: Tx,
  kind: UsageKind,
  roll: Roll,
  level: Level,
  unit: number,
  lowest: number,
  highest: number,
): Promise<void> {
  const target = kind.tables[level]!;
  const start = level === 'months' ? monthStart(unit) : unit;
  const sums = sql.join(
    kind.columns.map((column) => sql`cast(sum(${sql.ref(`t.${column}`)}) as bigint)`),
  );
  // Days and months of an erased key were deleted with it and must not come back.
  const alive =
    level === 'quarters'
      ? sql``
      : sql`and exists (select 1 from ${sql.table(kind.owner)} as o where o.seq = t.seq)`;
  await sql`
    insert into ${sql.table(target)} (start, seq, ${countColumns(kind)})
    with recursive ${timesBetween(unit, unit + roll.unitMs, roll.fromMs)}
    select cast(${start} as bigint), t.seq, ${sums}
    from times cross join ${sql.table(kind.tables[roll.from]!)} as t
    where t.start = times.start and t.seq >= ${lowest} and t.seq <= ${highest} ${alive}
    group by t.seq
    order by t.seq
    on conflict (${sql.join(primaryKeyOf(level))}) do update set ${addExcluded(target, kind)}`.execute(
    tx,
  );
}
