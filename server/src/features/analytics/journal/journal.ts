import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Storage, Tx } from '../../../storage/index.ts';
import { addMinute } from '../buckets/add-counts.ts';
import { recordLastUses } from '../buckets/last-uses.ts';
import { KEY_USAGE, MINUTE_MS } from '../usage-kinds.ts';
import { countRows, EntryMerger, type KeyEntries, lastUseRows, sumOf } from './key-entries.ts';

/** The row of `usage_watermarks` with the progress of the fold; also the name of the lock. */
const LEVEL = 'key journal';
/** Batches folded together: at most 62 MB in memory, if all are full and no key is in two of them. */
const BATCHES_PER_FOLD = 150;
/** Batches read and sorted at a time, while the event loop is blocked. */
const BATCHES_PER_READ = 2;
/** Keys written in one transaction. */
const KEYS_PER_STEP = 1_000;
/** When this many batches wait, they are folded before their minute ends. */
const BATCHES_WAITING = 125;

export async function appendToJournal(tx: Tx, minute: number, entries: Uint8Array): Promise<void> {
  await tx.insertInto('usage_journal').values({ minute, entries, folding: 0 }).execute();
}

interface Fold {
  /** Id of its first batch, which identifies the fold. */
  readonly firstId: number;
  readonly minute: number;
  readonly merger: EntryMerger;
  /** The last key that was written. */
  cursor: number;
}

/** Another node has continued the fold, or this node lost the response to its last step. */
class FoldMoved extends Error {}

/**
 * A large batch is appended to the journal as one row and folded into the minute buckets of its keys
 * when the minute is over, so a busy key costs one write a minute instead of four a second.
 *
 * appended → marked as folding, with other batches of the minute → folded in the order of keys, a part
 * at a time → deleted with the last part. Each part is written together with the progress, so an
 * interrupted fold continues where it stopped.
 */
export class UsageJournal {
  readonly #storage: Storage;
  #fold: Fold | null = null;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** Whether to fold now: a minute is over, or too many batches wait. */
  async isDue(now: number): Promise<boolean> {
    if (this.#fold !== null) return true;
    const rows = await this.#storage.read
      .selectFrom('usage_journal')
      .select(['minute', 'folding'])
      .orderBy('id')
      .limit(BATCHES_WAITING)
      .execute();
    const [oldest] = rows;
    if (oldest === undefined) return false;
    const isOver = now >= oldest.minute + MINUTE_MS || now < oldest.minute;
    return isOver || oldest.folding === 1 || rows.length === BATCHES_WAITING;
  }

  /** Id of the newest batch; 0 if the journal is empty. */
  async lastId(): Promise<number> {
    const last = await this.#storage.read
      .selectFrom('usage_journal')
      .select('id')
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst();
    return last?.id ?? 0;
  }

  /** Folds one part of the batches up to `lastId`. False if there are none. */
  async step(lastId = Number.MAX_SAFE_INTEGER): Promise<boolean> {
    this.#fold ??= await this.#open(lastId);
    const fold = this.#fold;
    if (fold === null) return false;
    this.#fold = null;
    const entries = fold.merger.take(KEYS_PER_STEP);
    const rows = countRows(entries);
    const cursor = rows.at(-1)?.[0] ?? fold.cursor;
    const { isDone } = fold.merger;
    try {
      await this.#storage.transaction(async (tx) => {
        await this.#claim(tx, fold, isDone ? 0 : cursor);
        // The same order as in a flush, which another node may be running: no deadlock.
        await recordLastUses(tx, lastUseRows(entries, fold.minute));
        await addMinute(this.#storage, tx, KEY_USAGE, fold.minute, rows);
        if (isDone) await tx.deleteFrom('usage_journal').where('folding', '=', 1).execute();
      });
    } catch (error) {
      if (error instanceof FoldMoved) return true;
      throw error;
    }
    fold.cursor = cursor;
    if (!isDone) this.#fold = fold;
    return true;
  }

  /** Advances the stored progress. Throws if another node has changed it. */
  async #claim(tx: Tx, { firstId, cursor }: Fold, to: number): Promise<void> {
    await this.#storage.lock(tx, LEVEL);
    const moved = await tx
      .updateTable('usage_watermarks')
      .set({ cursor: to })
      .where('level', '=', LEVEL)
      .where('cursor', '=', cursor)
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom('usage_journal')
            .select('id')
            .where('folding', '=', 1)
            .where('id', '=', firstId),
        ),
      )
      .returning('level')
      .execute();
    if (moved.length === 0) throw new FoldMoved();
  }

  async #open(lastId: number): Promise<Fold | null> {
    const found = await this.#storage.transaction(async (tx) => {
      await this.#storage.lock(tx, LEVEL);
      const open = await foldingRow(tx);
      if (open !== undefined)
        return { firstId: open.id, minute: open.minute, cursor: await cursorOf(tx) };
      const waiting = await tx
        .selectFrom('usage_journal')
        .select(['id', 'minute'])
        .where('id', '<=', lastId)
        .orderBy('id')
        .limit(BATCHES_PER_FOLD)
        .execute();
      const { minute } = waiting[0] ?? {};
      if (minute === undefined) return null;
      const ids = waiting.filter((row) => row.minute === minute).map(({ id }) => id);
      await tx.updateTable('usage_journal').set({ folding: 1 }).where('id', 'in', ids).execute();
      return { firstId: ids[0]!, minute, cursor: 0 };
    });
    if (found === null) return null;
    const sources = await this.#entries();
    return { ...found, merger: new EntryMerger(sources, found.cursor) };
  }

  /** Entries of the batches that are being folded, read a few batches at a time. */
  async #entries(): Promise<KeyEntries[]> {
    const all: KeyEntries[] = [];
    for (let after = 0; ; ) {
      const rows = await this.#storage.read
        .selectFrom('usage_journal')
        .select(['id', 'entries'])
        .where('folding', '=', 1)
        .where('id', '>', after)
        .orderBy('id')
        .limit(BATCHES_PER_READ)
        .execute();
      if (rows.length > 0) all.push(sumOf(rows.map(({ entries }) => entries)));
      // Let other requests run between two reads.
      await nextTurn();
      if (rows.length < BATCHES_PER_READ) return all;
      after = rows.at(-1)!.id;
    }
  }
}

const foldingRow = (tx: Tx) =>
  tx
    .selectFrom('usage_journal')
    .select(['id', 'minute'])
    .where('folding', '=', 1)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();

async function cursorOf(tx: Tx): Promise<number> {
  const { cursor } = await tx
    .selectFrom('usage_watermarks')
    .select('cursor')
    .where('level', '=', LEVEL)
    .executeTakeFirstOrThrow();
  return cursor;
}
