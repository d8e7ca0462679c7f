/**
 * A bounded memory of rows that never serves what a change has overtaken.
 *
 * An entry is absent → filling → held → absent again. A reader starts a fill, and everyone who
 * misses meanwhile joins it. A change drops a held entry, and marks a fill that is under way:
 * a marked fill is neither installed nor joined; its waiters get what a second read returns.
 * Fills are joined by the place they fill, not by the hash they look for: two accounts may hold the
 * same value, and the one must never be answered with the row of the other.
 * Absence is not remembered, so that guessing cannot fill the memory.
 *
 * Eviction is by two generations: entries used since the last turn live in `young`; when half of
 * the budget is reached, `young` becomes `old` and the former `old` is forgotten. A hit costs one
 * Map look-up and no reordering, which an exact LRU would pay on every hit.
 */
export interface Cacheable {
  readonly id: string;
  /** What the entry weighs in memory, roughly. */
  readonly bytes: number;
  /** Set from outside when something it was prepared from has changed. */
  readonly stale: boolean;
}

interface Fill<E> {
  readonly hash: string;
  overtaken: boolean;
  promise: Promise<E | null>;
}

type Load<E> = () => E | null | Promise<E | null>;

interface Generation<E> {
  readonly byKey: Map<string, E>;
  readonly keyById: Map<string, string>;
  bytes: number;
}

const newGeneration = <E>(): Generation<E> => ({
  byKey: new Map(),
  keyById: new Map(),
  bytes: 0,
});

/** A fill that changes keep overtaking is answered from its last read, but never installed. */
const MAX_READS = 5;

export class CoherentCache<E extends Cacheable> {
  readonly #budgetBytes: number;
  #young = newGeneration<E>();
  #old = newGeneration<E>();
  readonly #fills = new Map<string, Fill<E>>();
  hits = 0;
  misses = 0;

  constructor(budgetBytes: number) {
    this.#budgetBytes = budgetBytes;
  }

  get size(): number {
    return this.#young.byKey.size + this.#old.byKey.size;
  }

  get bytes(): number {
    return this.#young.bytes + this.#old.bytes;
  }

  get(key: string): E | undefined {
    const entry = this.#young.byKey.get(key);
    if (entry !== undefined) {
      if (entry.stale) return undefined;
      this.hits++;
      return entry;
    }
    const aged = this.#old.byKey.get(key);
    if (aged === undefined || aged.stale) return undefined;
    this.hits++;
    this.#forget(this.#old, key, aged);
    this.#install(key, aged);
    return aged;
  }

  /**
   * Reads through. `hash` names the row as changes name it. `load` answers null when there is no
   * such row. What it answers at once, no change can overtake.
   */
  fill(key: string, hash: string, load: Load<E>): E | null | Promise<E | null> {
    const running = this.#fills.get(key);
    if (running !== undefined && !running.overtaken) return running.promise;
    this.misses++;
    const first = load();
    if (!(first instanceof Promise)) {
      if (first !== null && !first.stale) this.#install(key, first);
      return first;
    }
    const fill: Fill<E> = { hash, overtaken: false, promise: first };
    this.#fills.set(key, fill);
    fill.promise = this.#read(key, fill, first, load);
    return fill.promise;
  }

  async #read(
    key: string,
    fill: Fill<E>,
    first: Promise<E | null>,
    load: Load<E>,
  ): Promise<E | null> {
    try {
      for (let reads = 1; ; reads++) {
        const entry = await (reads === 1 ? first : load());
        if (fill.overtaken && reads < MAX_READS) {
          // Whoever came after the change may have begun a fill of their own; this one reads again
          // for its own waiters and stays out of the table.
          if (this.#fills.get(key) === fill) fill.overtaken = false;
          else return await load();
          continue;
        }
        if (!fill.overtaken && entry !== null && !entry.stale) this.#install(key, entry);
        return entry;
      }
    } finally {
      if (this.#fills.get(key) === fill) this.#fills.delete(key);
    }
  }

  /** A row changed: forget it, and mark the fills that may have read it before. */
  drop(id: string, hash: string): void {
    for (const generation of [this.#young, this.#old]) {
      const key = generation.keyById.get(id);
      if (key !== undefined) this.#forget(generation, key, generation.byKey.get(key)!);
    }
    // All of them are looked at: there are as many as reads under way, and changes are rare.
    for (const fill of this.#fills.values()) if (fill.hash === hash) fill.overtaken = true;
  }

  /** Something that any entry may have been prepared from changed: mark every fill. */
  overtakeFills(): void {
    for (const fill of this.#fills.values()) fill.overtaken = true;
  }

  clear(): void {
    this.#young = newGeneration();
    this.#old = newGeneration();
    this.overtakeFills();
  }

  #install(key: string, entry: E): void {
    const before = this.#young.byKey.get(key);
    if (before !== undefined) this.#forget(this.#young, key, before);
    if (this.#young.bytes >= this.#budgetBytes / 2) {
      this.#old = this.#young;
      this.#young = newGeneration();
    }
    this.#young.byKey.set(key, entry);
    this.#young.keyById.set(entry.id, key);
    this.#young.bytes += entry.bytes;
  }

  #forget(generation: Generation<E>, key: string, entry: E): void {
    generation.byKey.delete(key);
    generation.keyById.delete(entry.id);
    generation.bytes -= entry.bytes;
  }
}
