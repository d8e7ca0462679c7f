import { sql } from 'kysely';
import type { Storage } from '../../../storage/index.ts';
import { DAY_MS, floorTo, HOUR_MS, QUARTER_MS, type Subject } from '../usage-kinds.ts';
import { keeperOf, lockWatermarks } from './watermarks.ts';

/** How long counts stay as fine as they were; days and months stay for ever. */
export interface Retention {
  readonly minuteHours: number;
  readonly hourDays: number;
}

export const DEFAULT_RETENTION: Retention = { minuteHours: 48, hourDays: 90 };

/** Minutes before this may be gone. */
export const minutesKeptFrom = ({ minuteHours }: Retention, now: number): number =>
  floorTo(now, QUARTER_MS) - minuteHours * HOUR_MS;

/** Quarter-hours, and with them hours, before this may be gone. */
export const quartersKeptFrom = ({ hourDays }: Retention, now: number): number =>
  floorTo(now, DAY_MS) - hourDays * DAY_MS;

const ROWS_PER_STEP = 2_000;
/** No batch waits this long to be tried again. */
const FLUSHES_KEPT_MS = 7 * DAY_MS;

/** Drops some of what is too old and summed up. False: there is nothing to do. */
export async function retentionStep(
  storage: Storage,
  subject: Subject,
  retention: Retention,
  now: number,
): Promise<boolean> {
  return storage.transaction(async (tx) => {
    if (!(await storage.tryLock(tx, keeperOf(subject)))) return false;
    const marks = await lockWatermarks(tx, storage.engine, subject, 'share');
    const bounds = [
      ['minutes', Math.min(minutesKeptFrom(retention, now), marks.minutes.until)],
      ['quarters', Math.min(quartersKeptFrom(retention, now), marks.quarters.until)],
    ] as const;
    for (const [level, before] of bounds) {
      const table = sql.table(subject.tables[level]);
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

/** Of nodes that have long stopped. */
export async function forgetFlushes(storage: Storage, now: number): Promise<void> {
  await storage.transaction((tx) =>
    tx
      .deleteFrom('usage_flushes')
      .where('flushed_at', '<', now - FLUSHES_KEPT_MS)
      .execute(),
  );
}
