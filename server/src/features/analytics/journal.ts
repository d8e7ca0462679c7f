import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Storage, Tx } from '../../storage/index.ts';
import { addMinute } from './add-counts.ts';
import { countRows, EntryMerger, type KeyEntries, lastUseRows, sumOf } from './key-entries.ts';
import { recordLastUses } from './last-uses.ts';
import { letGo } from './let-go.ts';
import { KEYS_PER_BATCH } from './open-counts.ts';
import { packEntries, packedCount, WIDTH } from './packed-entries.ts';
import { KEYS, MINUTE_MS } from './subjects.ts';

const LEVEL = 'key journal';
/** Batches summed up together; in memory they are 30 MB when no key is in two of them. */
const BATCHES_PER_FOLD = 150;
/** Read and sorted at a time: for that long nobody else is served. */
const BATCHES_PER_READ = 2;
/** Keys written in one transaction. */
const KEYS_PER_STEP = 1_000;
/** More wait for the end of their minute only up to here. */
const BATCHES_WAITING = 125;
/** Keys in a batch that others were condensed into: 2 MB, or less than 6. */
const CONDENSED_KEYS_MAX = 200_000;
/** Keys put together at a time: for that long nobody else is served. */
const KEYS_PER_PIECE = 4_000;
/** Worth its while from here on. */
const CONDENSED_TO = 1 / 2;

export async function appendToJournal(tx: Tx, minute: number, entries: Uint8Array): Promise<void> {
  await tx.insertInto('usage_journal').values({ minute, entries, folding: 0 }).execute();
}

interface Fold {
  /** The first of the batches: the same one means the same fold. */
  readonly firstId: number;
  readonly minute: number;
  readonly sources: readonly KeyEntries[];
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
 *
 * Where very many come within a minute, for the same keys again and again, they are condensed first:
 * the oldest row takes what all of them say, and the others go, at once. It keeps its place, so that
 * whoever adds what was there up to some row misses nothing.
 */
export class UsageJournal {
  readonly #storage: Storage;
  #fold: Fold | null = null;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** What should not wait longer: to add a minute, or to condense one that is not over. */
  async due(now: number): Promise<'add' | 'condense' | null> {
    if (this.#fold !== null) return 'add';
    const rows = await this.#storage.read
      .selectFrom('usage_journal')
      .select(['minute', 'folding'])
      .orderBy('id')
      .limit(BATCHES_WAITING)
      .execute();
    const [oldest] = rows;
    if (oldest === undefined) return null;
    const isOver = now >= oldest.minute + MINUTE_MS || now < oldest.minute;
    if (isOver || oldest.folding === 1) return 'add';
    return rows.length === BATCHES_WAITING ? 'condense' : null;
  }

  /** False: it would not help, since hardly any key is in two of them, or somebody adds them. */
  async condense(): Promise<boolean> {
    const waiting = await this.#storage.read
      .selectFrom('usage_journal')
      .select(['id', 'minute', 'folding'])
      .orderBy('id')
      .limit(BATCHES_PER_FOLD)
      .execute();
    const minute = waiting[0]?.minute;
    const rows = waiting.filter((row) => row.minute === minute);
    const ids = rows.map(({ id }) => id);
    if (ids.length < 2 || rows.some(({ folding }) => folding === 1)) return false;
    const condensed = await this.#condensed(ids);
    if (condensed === null) return false;
    return this.#storage.transaction(async (tx) => {
      await this.#storage.lock(tx, LEVEL);
      const { count } = await tx
        .selectFrom('usage_journal')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('id', 'in', ids)
        .where('folding', '=', 0)
        .executeTakeFirstOrThrow();
      // Another node has begun to add them, or has condensed them itself.
      if (Number(count) !== ids.length) return false;
      const [first, ...others] = ids as [number, ...number[]];
      await tx.deleteFrom('usage_journal').where('id', 'in', others).execute();
      await tx
        .updateTable('usage_journal')
        .set({ entries: condensed })
        .where('id', '=', first)
        .execute();
      return true;
    });
  }

  /** One batch that says what all of these do; null when it would be hardly smaller. */
  async #condensed(ids: readonly number[]): Promise<Uint8Array | null> {
    const sources = await this.#entries((query) => query.where('id', 'in', ids));
    const entries = sources.reduce((sum, { length }) => sum + length, 0) / WIDTH;
    const keysMax = Math.min(CONDENSED_KEYS_MAX, Math.floor(CONDENSED_TO * entries));
    const merger = new EntryMerger(sources, 0);
    const all = new Uint32Array(keysMax * WIDTH);
    let end = 0;
    while (!merger.isDone) {
      const piece = merger.take(KEYS_PER_PIECE);
      if (end + piece.length > all.length) return null;
      all.set(piece, end);
      end += piece.length;
      await nextTurn();
    }
    sources.forEach(letGo);
    const packed = packEntries(all.subarray(0, end));
    letGo(all);
    return packed;
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
    if (isDone) fold.sources.forEach(letGo);
    else this.#fold = fold;
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
    const sources = await this.#entries((query) => query.where('folding', '=', 1));
    return { ...found, sources, merger: new EntryMerger(sources, found.cursor) };
  }

  async #entries(which: (query: JournalQuery) => JournalQuery): Promise<KeyEntries[]> {
    const all: KeyEntries[] = [];
    for (let after = 0; ; ) {
      const rows = await which(journalled(this.#storage))
        .where('id', '>', after)
        .orderBy('id')
        .limit(BATCHES_PER_READ)
        .execute();
      const batches = rows.map(({ entries }) => entries);
      // One that others were condensed into is large, and in order already.
      const [large, small] = [batches.filter(isLarge), batches.filter((each) => !isLarge(each))];
      for (const batch of large) all.push(sumOf([batch]));
      if (small.length > 0) all.push(sumOf(small));
      batches.forEach(letGo);
      // The next ones may be there already, and others wait for their turn.
      await nextTurn();
      if (rows.length < BATCHES_PER_READ) return all;
      after = rows.at(-1)!.id;
    }
  }
}

const journalled = ({ read }: Storage) =>
  read.selectFrom('usage_journal').select(['id', 'entries']);
type JournalQuery = ReturnType<typeof journalled>;

const isLarge = (batch: Uint8Array): boolean => packedCount(batch) > KEYS_PER_BATCH;

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
