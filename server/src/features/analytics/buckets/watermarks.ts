import type { Kysely } from 'kysely';
import type { Database, EngineName, Tx } from '../../../storage/index.ts';
import type { UsageKind } from '../usage-kinds.ts';

/**
 * How far one level is rolled up into the next: all units before `until`, and in the unit that begins at
 * `until`, the owners up to `cursor`.
 */
export interface Watermark {
  readonly until: number;
  readonly cursor: number;
}

export interface Watermarks {
  /** Minutes into quarter-hours. */
  readonly minutes: Watermark;
  /** Quarter-hours into days, and into months where they are kept. */
  readonly quarters: Watermark;
}

/** Of a kind without minutes: its counts are written to the quarter-hours, like counts that are late. */
const ALWAYS_ROLLED_UP: Watermark = { until: Number.MAX_SAFE_INTEGER, cursor: 0 };

/** Name of the lock for roll-up and retention: one node at a time runs them. */
export const maintenanceLock = (kind: UsageKind): string => `usage keeper: ${kind.name}`;

export type RolledLevel = keyof Watermarks;

const levelName = (kind: UsageKind, level: RolledLevel): string => `${kind.name} ${level}`;

const rows = (db: Kysely<Database>, kind: UsageKind) =>
  db
    .selectFrom('usage_watermarks')
    .selectAll()
    .where('level', 'in', [levelName(kind, 'minutes'), levelName(kind, 'quarters')])
    .orderBy('level');

export async function readWatermarks(db: Kysely<Database>, kind: UsageKind): Promise<Watermarks> {
  return toWatermarks(kind, await rows(db, kind).execute());
}

/**
 * Reads the watermarks and keeps them unchanged until the transaction ends, so that no counts are
 * added below a watermark while it moves. SQLite has one writer; PostgreSQL locks the rows.
 */
export async function lockWatermarks(
  tx: Tx,
  engine: EngineName,
  kind: UsageKind,
  how: 'share' | 'update',
): Promise<Watermarks> {
  const query = rows(tx, kind);
  if (engine === 'sqlite') return toWatermarks(kind, await query.execute());
  const locked = how === 'share' ? query.forShare() : query.forUpdate();
  return toWatermarks(kind, await locked.execute());
}

function toWatermarks(
  kind: UsageKind,
  found: readonly { level: string; rolled_until: number; cursor: number }[],
): Watermarks {
  const of = (level: RolledLevel): Watermark => {
    const row = found.find((each) => each.level === levelName(kind, level))!;
    return { until: row.rolled_until, cursor: row.cursor };
  };
  const minutes = kind.tables.minutes === undefined ? ALWAYS_ROLLED_UP : of('minutes');
  return { minutes, quarters: of('quarters') };
}

export async function moveWatermark(
  tx: Tx,
  kind: UsageKind,
  level: RolledLevel,
  { until, cursor }: Watermark,
): Promise<void> {
  await tx
    .updateTable('usage_watermarks')
    .set({ rolled_until: until, cursor })
    .where('level', '=', levelName(kind, level))
    .execute();
}
