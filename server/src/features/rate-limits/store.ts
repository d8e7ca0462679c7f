import type { Selectable } from 'kysely';
import type { LocalCounters, OpenWindow } from '../../cluster/counters/counters.ts';
import {
  type Database,
  executeMany,
  forUpdateSkipLocked,
  type Storage,
} from '../../storage/index.ts';

type WindowRow = Selectable<Database['rate_windows']>;

/** Rows per transaction: few commits, but none that blocks other writers for long. */
const ROWS_AT_ONCE = 5_000;

/** Saves the open windows for the next start. Returns their number. */
export async function saveWindows(
  storage: Storage,
  counters: LocalCounters,
  now: number,
): Promise<number> {
  let saved = 0;
  let rows: WindowRow[] = [];
  for (const { counter, resetAt, consumed, sliding } of counters.entries(now)) {
    rows.push({
      limit_group: counter,
      reset_at: resetAt,
      consumed,
      window_ms: sliding?.windowMs ?? null,
      previous: sliding?.previous ?? null,
    });
    if (rows.length < ROWS_AT_ONCE) continue;
    await writeRows(storage, rows);
    saved += rows.length;
    rows = [];
  }
  if (rows.length > 0) await writeRows(storage, rows);
  return saved + rows.length;
}

const writeRows = (storage: Storage, rows: readonly WindowRow[]): Promise<void> =>
  storage.transaction((tx) =>
    executeMany(tx, rows, ({ limit_group, reset_at, consumed, window_ms, previous }) =>
      tx
        .insertInto('rate_windows')
        .values({ limit_group, reset_at, consumed, window_ms, previous })
        .onConflict((conflict) =>
          conflict.column('limit_group').doUpdateSet({ reset_at, consumed, window_ms, previous }),
        ),
    ),
  );

/**
 * Loads the windows that the last run saved. Rows are deleted as they are read, or they would count
 * again at the next start. Returns their number.
 */
export async function loadWindows(
  storage: Storage,
  counters: Pick<LocalCounters, 'load'>,
  now: number,
): Promise<number> {
  for (let loaded = 0; ; ) {
    const windows = await takeRows(storage);
    counters.load(windows, now);
    loaded += windows.length;
    if (windows.length < ROWS_AT_ONCE) return loaded;
  }
}

function takeRows(storage: Storage): Promise<OpenWindow[]> {
  return storage.transaction(async (tx) => {
    const query = tx
      .selectFrom('rate_windows')
      .selectAll()
      .orderBy('limit_group')
      .limit(ROWS_AT_ONCE);
    // Nodes that start together must not load the same row: it would count twice.
    const rows = await forUpdateSkipLocked(tx, query, 'rate_windows').execute();
    const counters = rows.map(({ limit_group }) => limit_group);
    if (counters.length > 0)
      await tx.deleteFrom('rate_windows').where('limit_group', 'in', counters).execute();
    return rows.map(openWindow);
  });
}

const openWindow = (row: WindowRow): OpenWindow => ({
  counter: row.limit_group,
  resetAt: row.reset_at,
  consumed: row.consumed,
  sliding: row.window_ms === null ? null : { windowMs: row.window_ms, previous: row.previous ?? 0 },
});
