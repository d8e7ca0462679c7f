import type { Kysely } from 'kysely';
import type { Database, EngineName, Tx } from '../../../storage/index.ts';
import type { Subject } from '../usage-kinds.ts';

/**
 * How far one level has been summed up into the next: everything before `until`, and of the unit
 * that begins there, every subject up to `cursor`.
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

/** What one node at a time does; the others find it done, or come back to it. */
export const keeperOf = (subject: Subject): string => `usage keeper: ${subject.name}`;

export type RolledLevel = keyof Watermarks;

export const levelName = (subject: Subject, level: RolledLevel): string =>
  `${subject.name} ${level}`;

const rows = (db: Kysely<Database>, subject: Subject) =>
  db
    .selectFrom('usage_watermarks')
    .selectAll()
    .where('level', 'in', [levelName(subject, 'minutes'), levelName(subject, 'quarters')])
    .orderBy('level');

export async function readWatermarks(db: Kysely<Database>, subject: Subject): Promise<Watermarks> {
  return toWatermarks(subject, await rows(db, subject).execute());
}

/**
 * Held still until the transaction ends: what is added below a mark, and what moves the mark, must
 * not pass each other unseen. SQLite has one writer, PostgreSQL locks the rows.
 */
export async function lockWatermarks(
  tx: Tx,
  engine: EngineName,
  subject: Subject,
  how: 'share' | 'update',
): Promise<Watermarks> {
  const query = rows(tx, subject);
  if (engine === 'sqlite') return toWatermarks(subject, await query.execute());
  const locked = how === 'share' ? query.forShare() : query.forUpdate();
  return toWatermarks(subject, await locked.execute());
}

function toWatermarks(
  subject: Subject,
  found: readonly { level: string; rolled_until: number; cursor: number }[],
): Watermarks {
  const of = (level: RolledLevel): Watermark => {
    const row = found.find((each) => each.level === levelName(subject, level))!;
    return { until: row.rolled_until, cursor: row.cursor };
  };
  return { minutes: of('minutes'), quarters: of('quarters') };
}

export async function moveWatermark(
  tx: Tx,
  subject: Subject,
  level: RolledLevel,
  { until, cursor }: Watermark,
): Promise<void> {
  await tx
    .updateTable('usage_watermarks')
    .set({ rolled_until: until, cursor })
    .where('level', '=', levelName(subject, level))
    .execute();
}
