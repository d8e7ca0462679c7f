export interface MemoryLease {
  readonly counter: string;
  /** When its window closes, in window time; identifies the window. */
  readonly closesAt: number;
  readonly granted: number;
}

/** About 20 MB. Beyond it the oldest lease is discarded, and its unused part is lost. */
const LEASES_MAX = 100_000;
/** Stored leases that each new lease checks, so that expired ones are removed faster than new ones arrive. */
const SWEPT_PER_LEASE = 2;

/** The leases that may still be given back. */
export class MemoryLeases {
  readonly #leases = new Map<string, MemoryLease>();
  #sweep = this.#leases.entries();

  get size(): number {
    return this.#leases.size;
  }

  add(id: string, lease: MemoryLease, time: number): void {
    this.#sweepSome(time);
    if (this.#leases.size >= LEASES_MAX) {
      for (const oldest of this.#leases.keys()) {
        this.#leases.delete(oldest);
        break;
      }
    }
    this.#leases.set(id, lease);
  }

  /** Removes and returns a lease. */
  take(id: string, counter: string): MemoryLease | undefined {
    const lease = this.#leases.get(id);
    if (lease === undefined || lease.counter !== counter) return undefined;
    this.#leases.delete(id);
    return lease;
  }

  #sweepSome(time: number): void {
    for (let checked = 0; checked < SWEPT_PER_LEASE; checked += 1) {
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
