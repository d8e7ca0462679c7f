import type { LocalCounters, OpenWindow } from '../../cluster/counters/counters.ts';
import { forUpdateSkipLocked, type Storage } from '../../storage/index.ts';

/** Rows per transaction: few commits, but none that blocks other writers for long. */
const ROWS_AT_ONCE = 5_000;

/** Saves the open windows for the next start. Returns their number. */
export async function saveWindows(
  storage: Storage,
  counters: LocalCounters,
  now: number,
): Promise<number> {
  let saved = 0;
  let rows: (readonly [group: string, resetAt: number, consumed: number])[] = [];
  for (const { group, resetAt, consumed } of counters.entries(now)) {
    rows.push([group, resetAt, consumed]);
    if (rows.length < ROWS_AT_ONCE) continue;
    await writeRows(storage, rows);
    saved += rows.length;
    rows = [];
  }
  if (rows.length > 0) await writeRows(storage, rows);
  return saved + rows.length;
}

function writeRows(storage: Storage, rows: readonly (readonly unknown[])[]): Promise<void> {
  return storage.transaction((tx) => {
    const insert = tx
      .insertInto('rate_windows')
      .values({ limit_group: '', reset_at: 0, consumed: 0 })
      .onConflict((conflict) =>
        conflict.column('limit_group').doUpdateSet((row) => ({
          reset_at: row.ref('excluded.reset_at'),
          consumed: row.ref('excluded.consumed'),
        })),
      )
      .compile();
    return storage.executeMany(tx, insert, rows);
  });
}

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
      .select(['limit_group as group', 'reset_at as resetAt', 'consumed'])
      .orderBy('limit_group')
      .limit(ROWS_AT_ONCE);
    // Nodes that start together must not load the same row: it would count twice.
    const windows = await forUpdateSkipLocked(tx, query, 'rate_windows').execute();
    const groups = windows.map(({ group }) => group);
    if (groups.length > 0)
      await tx.deleteFrom('rate_windows').where('limit_group', 'in', groups).execute();
    return windows;
  });
}
