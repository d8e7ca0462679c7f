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
 * look-up and no reordering, which an exact LRU would pay on every hit.
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

/** Entries by their places. A Map is one, where places are texts. */
interface Table<P, E> {
  readonly size: number;
  get(place: P): E | undefined;
  set(place: P, entry: E): unknown;
  delete(place: P): unknown;
}

/** What places are, and what holds them. */
export interface Places<P, E> {
  newTable(): Table<P, E>;
  /** Another for each place. */
  textOf(place: P): string;
}

interface Generation<P, E> {
  readonly byPlace: Table<P, E>;
  readonly placeById: Map<string, P>;
  bytes: number;
}

/** A fill that changes keep overtaking is answered from its last read, but never installed. */
const MAX_READS = 5;

export class CoherentCache<E extends Cacheable, P> {
  readonly #budgetBytes: number;
  readonly #places: Places<P, E>;
  #young: Generation<P, E>;
  #old: Generation<P, E>;
  readonly #fills = new Map<string, Fill<E>>();
  hits = 0;
  misses = 0;

  constructor(budgetBytes: number, places: Places<P, E>) {
    this.#budgetBytes = budgetBytes;
    this.#places = places;
    this.#young = this.#newGeneration();
    this.#old = this.#newGeneration();
  }

  get size(): number {
    return this.#young.byPlace.size + this.#old.byPlace.size;
  }

  get bytes(): number {
    return this.#young.bytes + this.#old.bytes;
  }

  get(place: P): E | undefined {
    const entry = this.#young.byPlace.get(place);
    if (entry !== undefined) {
      if (entry.stale) return undefined;
      this.hits++;
      return entry;
    }
    const aged = this.#old.byPlace.get(place);
    if (aged === undefined || aged.stale) return undefined;
    this.hits++;
    const kept = this.#old.placeById.get(aged.id)!;
    this.#forget(this.#old, kept, aged);
    this.#install(kept, aged);
    return aged;
  }

  /**
   * Reads through. `hash` names the row as changes name it. `load` answers null when there is no
   * such row. What it answers at once, no change can overtake. `place` is kept, and may not change.
   */
  fill(place: P, hash: string, load: Load<E>): E | null | Promise<E | null> {
    const running = this.#fills.size === 0 ? undefined : this.#fills.get(this.#textOf(place));
    if (running !== undefined && !running.overtaken) return running.promise;
    this.misses++;
    const first = load();
    if (!(first instanceof Promise)) {
      if (first !== null && !first.stale) this.#install(place, first);
      return first;
    }
    const fill: Fill<E> = { hash, overtaken: false, promise: first };
    this.#fills.set(this.#textOf(place), fill);
    fill.promise = this.#read(place, fill, first, load);
    return fill.promise;
  }

  async #read(place: P, fill: Fill<E>, first: Promise<E | null>, load: Load<E>): Promise<E | null> {
    const text = this.#textOf(place);
    try {
      for (let reads = 1; ; reads++) {
        const entry = await (reads === 1 ? first : load());
        if (fill.overtaken && reads < MAX_READS) {
          // Whoever came after the change may have begun a fill of their own; this one reads again
          // for its own waiters and stays out of the table.
          if (this.#fills.get(text) === fill) fill.overtaken = false;
          else return await load();
          continue;
        }
        if (!fill.overtaken && entry !== null && !entry.stale) this.#install(place, entry);
        return entry;
      }
    } finally {
      if (this.#fills.get(text) === fill) this.#fills.delete(text);
    }
  }

  /** A row changed: forget it, and mark the fills that may have read it before. */
  drop(id: string, hash: string): void {
    for (const generation of [this.#young, this.#old]) {
      const place = generation.placeById.get(id);
      if (place !== undefined) this.#forget(generation, place, generation.byPlace.get(place)!);
    }
    // All of them are looked at: there are as many as reads under way, and changes are rare.
    for (const fill of this.#fills.values()) if (fill.hash === hash) fill.overtaken = true;
  }

  /** Something that any entry may have been prepared from changed: mark every fill. */
  overtakeFills(): void {
    for (const fill of this.#fills.values()) fill.overtaken = true;
  }

  clear(): void {
    this.#young = this.#newGeneration();
    this.#old = this.#newGeneration();
    this.overtakeFills();
  }

  #newGeneration(): Generation<P, E> {
    return { byPlace: this.#places.newTable(), placeById: new Map(), bytes: 0 };
  }

  #textOf(place: P): string {
    return this.#places.textOf(place);
  }

  #install(place: P, entry: E): void {
    const before = this.#young.byPlace.get(place);
    if (before !== undefined) this.#forget(this.#young, place, before);
    if (this.#young.bytes >= this.#budgetBytes / 2) {
      this.#old = this.#young;
      this.#young = this.#newGeneration();
    }
    this.#young.byPlace.set(place, entry);
    this.#young.placeById.set(entry.id, place);
    this.#young.bytes += entry.bytes;
  }

  #forget(generation: Generation<P, E>, place: P, entry: E): void {
    generation.byPlace.delete(place);
    generation.placeById.delete(entry.id);
    generation.bytes -= entry.bytes;
  }
}

/** Places that are texts. */
export const byText = <E>(): Places<string, E> => ({
  newTable: () => new Map(),
  textOf: (place) => place,
});
