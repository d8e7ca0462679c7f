import { SweptMap } from '../swept-map.ts';

/** Requests of one counter that this node counted while Redis was unavailable. */
export interface UnmergedCount {
  readonly counter: string;
  /** Negative if Redis counted requests that this node then refused, or if a lease was returned. */
  readonly amount: number;
  /** When its window closes, by the clock of this node. */
  readonly resetAt: number;
  /** The length of a sliding window, otherwise 0. */
  readonly slidingMs: number;
}

/** Counts that have yet to be added to the shared windows. Counts of closed windows are discarded. */
export class UnmergedCounts {
  readonly #counts = new SweptMap<UnmergedCount>(({ resetAt }, now) => resetAt <= now);

  get size(): number {
    return this.#counts.size;
  }

  add(count: UnmergedCount, now: number): void {
    this.#counts.sweep(now);
    const { counter, amount, resetAt } = count;
    if (amount === 0 || resetAt <= now) return;
    const held = this.#counts.get(counter);
    if (held === undefined || held.resetAt <= now) {
      this.#counts.set(counter, count);
      return;
    }
    const sum = held.amount + amount;
    // A returned lease does not say whether its window slides; the stored count does.
    const known = amount > 0 ? count : held;
    if (sum === 0) this.#counts.delete(counter);
    else this.#counts.set(counter, { ...known, amount: sum });
  }

  /** Removes and returns the count of a counter, if its window is still open. */
  takeOne(counter: string, now: number): UnmergedCount | undefined {
    const held = this.#counts.get(counter);
    if (held === undefined) return undefined;
    this.#counts.delete(counter);
    return held.resetAt > now ? held : undefined;
  }

  /** Removes up to `max` counts, and returns those whose window is still open. */
  takeSome(max: number, now: number): UnmergedCount[] {
    const some: UnmergedCount[] = [];
    let checked = 0;
    for (const held of this.#counts.values()) {
      if (++checked > max) break;
      this.#counts.delete(held.counter);
      if (held.resetAt > now) some.push(held);
    }
    return some;
  }
}
