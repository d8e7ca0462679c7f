/** Each sweep checks this many entries, so that closed ones are removed faster than new ones are added. */
const CHECKED_PER_SWEEP = 2;

/**
 * A Map whose entries are removed some time after they close: its owner calls `sweep` before it adds an entry.
 * A full map evicts the entry that was added first.
 */
export class SweptMap<V> {
  readonly #entries = new Map<string, V>();
  readonly #isClosed: (value: V, time: number) => boolean;
  readonly #max: number;
  #next = this.#entries.entries();
  evicted = 0;

  constructor(isClosed: (value: V, time: number) => boolean, max = Number.POSITIVE_INFINITY) {
    this.#isClosed = isClosed;
    this.#max = max;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Includes closed entries that have not been removed yet. */
  get(key: string): V | undefined {
    return this.#entries.get(key);
  }

  values(): IterableIterator<V> {
    return this.#entries.values();
  }

  set(key: string, value: V): void {
    if (this.#entries.size >= this.#max && !this.#entries.has(key)) this.#evictFirst();
    this.#entries.set(key, value);
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  sweep(time: number): void {
    for (let checked = 0; checked < CHECKED_PER_SWEEP; checked += 1) {
      const next = this.#next.next();
      if (next.done) {
        this.#next = this.#entries.entries();
        return;
      }
      const [key, value] = next.value;
      if (this.#isClosed(value, time)) this.#entries.delete(key);
    }
  }

  #evictFirst(): void {
    for (const first of this.#entries.keys()) {
      this.#entries.delete(first);
      this.evicted += 1;
      return;
    }
  }
}
