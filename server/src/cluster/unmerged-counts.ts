/** What this node counted of one group while nobody else could hear of it. */
export interface UnmergedCount {
  readonly group: string;
  /** Negative when the others counted something that this node then refused. */
  readonly amount: number;
  /** When the window it was counted in closes, by this node's clock. */
  readonly resetAt: number;
}

/** Looked at whenever one is added, so that those of closed windows go sooner than they come. */
const SWEPT_AT_ONCE = 2;

/**
 * Counts that are still to be added to the shared windows. Those of windows that have closed mean
 * nothing any more and are forgotten.
 */
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
      // What is taken back says nothing of when its window closes.
      const closes = amount > 0 ? resetAt : held.resetAt;
      this.#counts.set(group, { group, amount: sum, resetAt: closes });
    }
  }

  /** Takes one out, if it is there and still means anything. */
  takeOf(group: string, now: number): UnmergedCount | undefined {
    const held = this.#counts.get(group);
    if (held === undefined) return undefined;
    this.#counts.delete(group);
    return held.resetAt > now ? held : undefined;
  }

  /** Takes some out, at most `max`, looking at no more than that. */
  takeSome(max: number, now: number): UnmergedCount[] {
    const some: UnmergedCount[] = [];
    let looked = 0;
    for (const held of this.#counts.values()) {
      if (++looked > max) break;
      this.#counts.delete(held.group);
      if (held.resetAt > now) some.push(held);
    }
    return some;
  }

  #sweepSome(now: number): void {
    for (let looked = 0; looked < SWEPT_AT_ONCE; looked += 1) {
      const next = this.#sweep.next();
      if (next.done) {
        this.#sweep = this.#counts.values();
        return;
      }
      if (next.value.resetAt <= now) this.#counts.delete(next.value.group);
    }
  }
}
