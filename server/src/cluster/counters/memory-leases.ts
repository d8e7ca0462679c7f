import { SweptMap } from './swept-map.ts';

export interface MemoryLease {
  readonly counter: string;
  /** When its window closes, in window time; identifies the window. */
  readonly closesAt: number;
  readonly granted: number;
}

/** About 20 MB. Beyond it the oldest lease is discarded, and its unused part is lost. */
const LEASES_MAX = 100_000;

/** The leases that may still be given back. */
export class MemoryLeases {
  readonly #leases = new SweptMap<MemoryLease>(
    ({ closesAt }, time) => closesAt <= time,
    LEASES_MAX,
  );

  get size(): number {
    return this.#leases.size;
  }

  add(id: string, lease: MemoryLease, time: number): void {
    this.#leases.sweep(time);
    this.#leases.set(id, lease);
  }

  /** Removes and returns a lease. */
  take(id: string, counter: string): MemoryLease | undefined {
    const lease = this.#leases.get(id);
    if (lease === undefined || lease.counter !== counter) return undefined;
    this.#leases.delete(id);
    return lease;
  }
}
