/** Requests of one group that this node counted while Redis was unavailable. */
export interface UnmergedCount {
  readonly group: string;
  /** Negative if Redis counted requests that this node then refused. */
  readonly amount: number;
  /** When its window closes, by the clock of this node. */
  readonly resetAt: number;
}

/** Each added count checks this many, so that counts of closed windows are removed faster than they come. */
const SWEPT_PER_ADD = 2;

/** Counts that have yet to be added to the shared windows. Counts of closed windows are discarded. */
export class UnmergedCounts {
  readonly #counts = new Map<string, UnmergedCount>();
  #sweep = this.#counts.values();

  get size(): number {
    return this.#counts.size;
  }

  add(group: string, amount: number, resetAt: number, now: number): void {
    this.#sweepSome(now);
    if (amount === 0 || resetAt <= now) return;
    const held = this.#counts.get(group);
    if (held === undefined || held.resetAt <= now) {
      this.#counts.set(group, { group, amount, resetAt });
      return;
    }
    const sum = held.amount + amount;
    if (sum === 0) this.#counts.delete(group);
    else {
      // A negative amount does not know when its window closes.
      const closes = amount > 0 ? resetAt : held.resetAt;
      this.#counts.set(group, { group, amount: sum, resetAt: closes });
    }
  }

  /** Removes and returns the count of a group, if its window is still open. */
  takeGroup(group: string, now: number): UnmergedCount | undefined {
    const held = this.#counts.get(group);
    if (held === undefined) return undefined;
    this.#counts.delete(group);
    return held.resetAt > now ? held : undefined;
  }

  /** Removes up to `max` counts, and returns those whose window is still open. */
  takeSome(max: number, now: number): UnmergedCount[] {
    const some: UnmergedCount[] = [];
    let checked = 0;
    for (const held of this.#counts.values()) {
      if (++checked > max) break;
      this.#counts.delete(held.group);
      if (held.resetAt > now) some.push(held);
    }
    return some;
  }

  #sweepSome(now: number): void {
    for (let checked = 0; checked < SWEPT_PER_ADD; checked += 1) {
      const next = this.#sweep.next();
      if (next.done) {
        this.#sweep = this.#counts.values();
        return;
      }
      if (next.value.resetAt <= now) this.#counts.delete(next.value.group);
    }
  }
}
