export interface HeldLease {
  readonly group: string;
  /** When its window closes, in the time of the counters: it also tells the window from others. */
  readonly closesAt: number;
  readonly granted: number;
}

/** Some 20 MB. Beyond it the oldest is forgotten: what it did not use is lost to its window. */
const LEASES_MAX = 100_000;
/** Looked at whenever one is added, so that those of closed windows go sooner than they come. */
const SWEPT_AT_ONCE = 2;

/** The leases that may still be given back. */
export class MemoryLeases {
  readonly #leases = new Map<string, HeldLease>();
  #sweep = this.#leases.entries();

  get size(): number {
    return this.#leases.size;
  }

  add(id: string, lease: HeldLease, time: number): void {
    this.#sweepSome(time);
    if (this.#leases.size >= LEASES_MAX) {
      for (const oldest of this.#leases.keys()) {
        this.#leases.delete(oldest);
        break;
      }
    }
    this.#leases.set(id, lease);
  }

  /** Each can be had once. */
  take(id: string, group: string): HeldLease | undefined {
    const lease = this.#leases.get(id);
    if (lease === undefined || lease.group !== group) return undefined;
    this.#leases.delete(id);
    return lease;
  }

  #sweepSome(time: number): void {
    for (let looked = 0; looked < SWEPT_AT_ONCE; looked += 1) {
      const next = this.#sweep.next();
      if (next.done) {
        this.#sweep = this.#leases.entries();
        return;
      }
      const [id, lease] = next.value;
      if (lease.closesAt <= time) this.#leases.delete(id);
    }
  }
}
