import { sql } from 'kysely';
import type { Storage } from '../../../storage/index.ts';
import { DAY_MS, floorTo, HOUR_MS, QUARTER_HOUR_MS, type UsageKind } from '../usage-kinds.ts';
import { lockWatermarks, maintenanceLock } from './watermarks.ts';

/** How long minutes and hours are kept. Days and months are kept until their key is erased. */
export interface Retention {
  readonly minuteHours: number;
  readonly hourDays: number;
}

export const DEFAULT_RETENTION: Retention = { minuteHours: 48, hourDays: 90 };

/** Minutes before this may be deleted. */
export const minutesKeptFrom = ({ minuteHours }: Retention, now: number): number =>
  floorTo(now, QUARTER_HOUR_MS) - minuteHours * HOUR_MS;

/** Quarter-hours before this may be deleted. */
export const quarterHoursKeptFrom = ({ hourDays }: Retention, now: number): number =>
  floorTo(now, DAY_MS) - hourDays * DAY_MS;

const ROWS_PER_STEP = 2_000;
/** Longer than any batch is expected to be retried. */
const FLUSHES_KEPT_MS = 7 * DAY_MS;

/** Deletes some rows that are too old and rolled up. False if there were none. */
export async function retentionStep(
  storage: Storage,
  kind: UsageKind,
  retention: Retention,
  now: number,
): Promise<boolean> {
  return storage.transaction(async (tx) => {
    if (!(await storage.tryLock(tx, maintenanceLock(kind)))) return false;
    const marks = await lockWatermarks(tx, storage.engine, kind, 'share');
    const bounds = [
      ['minutes', Math.min(minutesKeptFrom(retention, now), marks.minutes.until)],
      ['quarters', Math.min(quarterHoursKeptFrom(retention, now), marks.quarters.until)],
    ] as const;
    for (const [level, before] of bounds) {
      const name = kind.tables[level];
      if (name === undefined) continue;
      const table = sql.table(name);
      const { rows } = await sql<{ start: number; seq: number }>`
        select start, seq from ${table} where start < ${before}
        order by start, seq limit ${ROWS_PER_STEP}`.execute(tx);
      const last = rows.at(-1);
      if (last === undefined) continue;
      await sql`delete from ${table} where start < ${last.start}`.execute(tx);
      await sql`delete from ${table} where start = ${last.start} and seq <= ${last.seq}`.execute(
        tx,
      );
      return true;
    }
    return false;
  });
}

/** Deletes the batch numbers of nodes that stopped long ago. */
export async function deleteOldFlushes(storage: Storage, now: number): Promise<void> {
  await storage.transaction((tx) =>
    tx
      .deleteFrom('usage_flushes')
      .where('flushed_at', '<', now - FLUSHES_KEPT_MS)
      .execute(),
  );
}
