import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Storage, Tx } from '../../../storage/index.ts';
import { addMinute } from '../buckets/add-counts.ts';
import { recordLastUses } from '../buckets/last-uses.ts';
import { KEYS, MINUTE_MS } from '../usage-kinds.ts';
import { countRows, EntryMerger, type KeyEntries, lastUseRows, sumOf } from './key-entries.ts';

const LEVEL = 'key journal';
/** Batches summed up together; in memory they are 30 MB when no key is in two of them. */
const BATCHES_PER_FOLD = 150;
/** Read and sorted at a time: for that long nobody else is served. */
const BATCHES_PER_READ = 2;
/** Keys written in one transaction. */
const KEYS_PER_STEP = 1_000;
/** When this many batches wait, they are added without waiting for the end of their minute. */
const BATCHES_WAITING = 125;
export async function appendToJournal(tx: Tx, minute: number, entries: Uint8Array): Promise<void> {
  await tx.insertInto('usage_journal').values({ minute, entries, folding: 0 }).execute();
}

interface Fold {
  /** The first of the batches: the same one means the same fold. */
  readonly firstId: number;
  readonly minute: number;
  readonly merger: EntryMerger;
  /** The last key that is written. */
  cursor: number;
}

/** Another node went on with the fold, or this one failed to hear that it had. */
class FoldMoved extends Error {}

/**
 * Large batches are written as they are, one row each, and added to the minutes of their keys when
 * the minute is over: a key that is used again and again costs one row a minute, not four a second.
 *
 * Rows are journalled → marked as folding, together with others of their minute → added, in the
 * order of their keys and some at a time, each time with how far it got → gone with the last of
 * them. Whatever stops in between goes on where it was.
 */
export class UsageJournal {
  readonly #storage: Storage;
  #fold: Fold | null = null;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** Whether batches should be added now: their minute is over, or too many of them wait. */
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

  /** The batch that was journalled last; 0 when none waits. */
  async lastId(): Promise<number> {
    const last = await this.#storage.read
      .selectFrom('usage_journal')
      .select('id')
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst();
    return last?.id ?? 0;
  }

  /** Adds some of what is journalled, up to the batch `lastId`. False: there is nothing. */
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
        // In the order of a flush, which may be under way on another node.
        await recordLastUses(this.#storage, tx, lastUseRows(entries, fold.minute));
        await addMinute(this.#storage, tx, KEYS, fold.minute, rows);
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

  /** Moves the mark from where this node believes it to be. */
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
      const under = await foldingRow(tx);
      if (under !== undefined)
        return { firstId: under.id, minute: under.minute, cursor: await cursorOf(tx) };
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

  /** What the rows that are being added hold, read a few rows at a time. */
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
      // The next ones may be there already, and others wait for their turn.
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
