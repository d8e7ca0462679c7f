export interface Cacheable {
  readonly id: string;
  /** Approximate size in memory. */
  readonly bytes: number;
  /** Set from outside when something the entry was prepared from has changed. */
  readonly stale: boolean;
}

interface Fill<E> {
  /** The stored hash of the row. A change names its row by this hash. */
  readonly hash: string;
  isOutdated: boolean;
  promise: Promise<E | null>;
}

type Load<E> = () => E | null | Promise<E | null>;

class Generation<E> {
  readonly entries = new Map<string, E>();
  readonly cacheKeys = new Map<string, string>();
  bytes = 0;
}

/** After this many outdated reads the last result is returned, but not cached. */
const MAX_READS = 5;

/**
 * A bounded cache of rows that never keeps a row that was read before its last change.
 *
 * An entry is absent → filling → cached → absent again. A miss starts a fill; other misses of the same cache
 * key join it. A change removes the cached entry and marks running fills of its row as outdated. An
 * outdated fill discards what it read and reads again for its waiters; until then, misses do not join it.
 * Misses are joined by cache key, not by the stored hash: two accounts may hold the same value, and one must
 * never get the row of the other. A missing row is not remembered, so that guessing cannot fill the cache.
 *
 * Memory is bounded by two generations: entries used since the last rotation are in `young`. When
 * `young` has used half of the budget it becomes `old`, and the former `old` is discarded. A hit
 * costs one lookup and no reordering, unlike an exact LRU.
 */
export class CoherentCache<E extends Cacheable> {
  readonly #budgetBytes: number;
  #young = new Generation<E>();
  #old = new Generation<E>();
  readonly #fills = new Map<string, Fill<E>>();
  hits = 0;
  misses = 0;
  /** Counts changes: while it stays the same, an entry returned earlier is still current. */
  version = 0;

  constructor(budgetBytes: number) {
    this.#budgetBytes = budgetBytes;
  }

  get size(): number {
    return this.#young.entries.size + this.#old.entries.size;
  }

  get bytes(): number {
    return this.#young.bytes + this.#old.bytes;
  }

  get(cacheKey: string): E | undefined {
    const entry = this.#young.entries.get(cacheKey) ?? this.#revived(cacheKey);
    if (entry === undefined || entry.stale) return undefined;
    this.hits++;
    return entry;
  }

  /** Moves an entry that is still used out of the old generation. */
  #revived(cacheKey: string): E | undefined {
    const entry = this.#old.entries.get(cacheKey);
    if (entry === undefined || entry.stale) return undefined;
    this.#remove(this.#old, cacheKey, entry);
    this.#install(cacheKey, entry);
    return entry;
  }

  /**
   * Reads a row with `load` and caches it. `hash` is the stored hash of the row. `load` returns null when
   * there is no such row. A result that is returned synchronously cannot be outdated by a change.
   */
  fill(cacheKey: string, hash: string, load: Load<E>): E | null | Promise<E | null> {
    const running = this.#fills.get(cacheKey);
    if (running !== undefined && !running.isOutdated) return running.promise;
    this.misses++;
    const first = load();
    if (!(first instanceof Promise)) {
      if (first !== null && !first.stale) this.#install(cacheKey, first);
      return first;
    }
    const fill: Fill<E> = { hash, isOutdated: false, promise: first };
    this.#fills.set(cacheKey, fill);
    fill.promise = this.#read(cacheKey, fill, first, load);
    return fill.promise;
  }

  async #read(
    cacheKey: string,
    fill: Fill<E>,
    first: Promise<E | null>,
    load: Load<E>,
  ): Promise<E | null> {
    try {
      for (let reads = 1; ; reads++) {
        const entry = await (reads === 1 ? first : load());
        if (fill.isOutdated && reads < MAX_READS) {
          // If a later miss has started another fill, this one reads once more for its own waiters
          // and caches nothing.
          if (this.#fills.get(cacheKey) === fill) fill.isOutdated = false;
          else return await load();
          continue;
        }
        if (!fill.isOutdated && entry !== null && !entry.stale) this.#install(cacheKey, entry);
        return entry;
      }
    } finally {
      if (this.#fills.get(cacheKey) === fill) this.#fills.delete(cacheKey);
    }
  }

  /** A row changed: removes it, and marks the fills that may have read its former state. */
  drop(id: string, hash: string): void {
    this.version++;
    for (const generation of [this.#young, this.#old]) {
      const cacheKey = generation.cacheKeys.get(id);
      if (cacheKey !== undefined)
        this.#remove(generation, cacheKey, generation.entries.get(cacheKey)!);
    }
    // Visits all fills: there are only as many as reads in progress, and changes are rare.
    for (const fill of this.#fills.values()) if (fill.hash === hash) fill.isOutdated = true;
  }

  /** Called when data that any entry may depend on has changed: marks every fill in progress. */
  invalidateFills(): void {
    this.version++;
    for (const fill of this.#fills.values()) fill.isOutdated = true;
  }

  clear(): void {
    this.#young = new Generation();
    this.#old = new Generation();
    this.invalidateFills();
  }

  #install(cacheKey: string, entry: E): void {
    const before = this.#young.entries.get(cacheKey);
    if (before !== undefined) this.#remove(this.#young, cacheKey, before);
    if (this.#young.bytes >= this.#budgetBytes / 2) {
      this.#old = this.#young;
      this.#young = new Generation();
    }
    this.#young.entries.set(cacheKey, entry);
    this.#young.cacheKeys.set(entry.id, cacheKey);
    this.#young.bytes += entry.bytes;
  }

  #remove(generation: Generation<E>, cacheKey: string, entry: E): void {
    generation.entries.delete(cacheKey);
    generation.cacheKeys.delete(entry.id);
    generation.bytes -= entry.bytes;
  }
}
