import type { Kysely, Selectable } from 'kysely';
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

/** Saves all open windows, for the next start. Returns their number. */
export async function saveWindows(
  storage: Storage,
  counters: LocalCounters,
  now: number,
): Promise<number> {
  let saved = 0;
  let windows: OpenWindow[] = [];
  for (const window of counters.entries(now)) {
    windows.push(window);
    if (windows.length < ROWS_AT_ONCE) continue;
    await writeWindows(storage, windows);
    saved += windows.length;
    windows = [];
  }
  if (windows.length > 0) await writeWindows(storage, windows);
  return saved + windows.length;
}

/** Saves the long windows that changed since they were saved. Returns their number. */
export async function saveChangedWindows(
  storage: Storage,
  counters: LocalCounters,
  now: number,
): Promise<number> {
  for (let saved = 0; ; ) {
    const windows = counters.takeChanged(now, ROWS_AT_ONCE);
    if (windows.length === 0) return saved;
    try {
      await writeWindows(storage, windows);
    } catch (error) {
      counters.markChanged(windows);
      throw error;
    }
    saved += windows.length;
    // What changed meanwhile waits for the next turn.
    if (windows.length < ROWS_AT_ONCE) return saved;
  }
}

const writeWindows = (storage: Storage, windows: readonly OpenWindow[]): Promise<void> =>
  storage.transaction((tx) =>
    executeMany(
      tx,
      windows.map(rowOf),
      ({ limit_group, reset_at, consumed, window_ms, previous }) =>
        tx
          .insertInto('rate_windows')
          .values({ limit_group, reset_at, consumed, window_ms, previous })
          .onConflict((conflict) =>
            conflict.column('limit_group').doUpdateSet({ reset_at, consumed, window_ms, previous }),
          ),
    ),
  );

/**
 * Loads the saved windows and returns their number. In a cluster, rows are deleted as they are read: another
 * node would count them again. A server that is alone keeps those of open windows (`keepsOpen`), so that a
 * crash before the next save forgets nothing.
 */
export async function loadWindows(
  storage: Storage,
  counters: Pick<LocalCounters, 'load'>,
  now: number,
  keepsOpen = false,
): Promise<number> {
  let after = '';
  for (let loaded = 0; ; ) {
    const rows = await takeRows(storage, after, keepsOpen ? now : Number.POSITIVE_INFINITY);
    counters.load(rows.map(openWindow), now);
    loaded += rows.length;
    if (rows.length < ROWS_AT_ONCE) return loaded;
    after = rows.at(-1)!.limit_group;
  }
}

/** Reads a page of rows, and deletes those whose window has ended by `endedBy`. */
function takeRows(storage: Storage, after: string, endedBy: number): Promise<WindowRow[]> {
  return storage.transaction(async (tx) => {
    const query = tx
      .selectFrom('rate_windows')
      .selectAll()
      .where('limit_group', '>', after)
      .orderBy('limit_group')
      .limit(ROWS_AT_ONCE);
    // Nodes that start together must not load the same row: it would count twice.
    const rows = await forUpdateSkipLocked(tx, query, 'rate_windows').execute();
    await deleteEnded(tx, rows, endedBy);
    return rows;
  });
}

/**
 * Deletes the rows of ended windows among the next rows after `after`. Returns the last of them, to go on
 * from, or an empty string after the last row.
 */
export async function deleteEndedWindows(
  storage: Storage,
  after: string,
  now: number,
): Promise<string> {
  const rows = await storage.read
    .selectFrom('rate_windows')
    .selectAll()
    .where('limit_group', '>', after)
    .orderBy('limit_group')
    .limit(ROWS_AT_ONCE)
    .execute();
  if (rows.some((row) => endOf(row) <= now))
    await storage.transaction((tx) => deleteEnded(tx, rows, now));
  return rows.length < ROWS_AT_ONCE ? '' : rows.at(-1)!.limit_group;
}

async function deleteEnded(
  tx: Kysely<Database>,
  rows: readonly WindowRow[],
  endedBy: number,
): Promise<void> {
  const ended = rows.filter((row) => endOf(row) <= endedBy).map((row) => row.limit_group);
  if (ended.length === 0) return;
  let query = tx.deleteFrom('rate_windows').where('limit_group', 'in', ended);
  // The window may have been saved again since it was read.
  if (Number.isFinite(endedBy)) query = query.where('reset_at', '<=', endedBy);
  await query.execute();
}

/** A sliding window counts for as long as it is open once more. */
const endOf = ({ reset_at, window_ms }: WindowRow): number => reset_at + (window_ms ?? 0);

const rowOf = ({ counter, resetAt, consumed, sliding }: OpenWindow): WindowRow => ({
  limit_group: counter,
  reset_at: resetAt,
  consumed,
  window_ms: sliding?.windowMs ?? null,
  previous: sliding?.previous ?? null,
});

const openWindow = (row: WindowRow): OpenWindow => ({
  counter: row.limit_group,
  resetAt: row.reset_at,
  consumed: row.consumed,
  sliding: row.window_ms === null ? null : { windowMs: row.window_ms, previous: row.previous ?? 0 },
});
