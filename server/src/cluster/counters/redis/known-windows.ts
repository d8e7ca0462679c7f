import { costAt, indexOfRefusingLimit, type LimitCosts } from '@keyward/rules/limit-set.ts';
import { closingTime } from '../calendar-windows.ts';
import type {
  CounterLimit,
  CounterSet,
  LeaseRequest,
  LeaseResult,
  TakeAllResult,
  TakeResult,
} from '../counters.ts';
import { MemoryLeases } from '../memory-leases.ts';
import { shareOf } from '../per-node.ts';
import { SweptMap } from '../swept-map.ts';
import { WindowClock } from '../window-clock.ts';
import type { UnmergedCount } from './unmerged-counts.ts';
import type { WindowCheck } from './windows.ts';

/** What a node knows about a window that Redis counts. */
export interface KnownWindow {
  /**
   * The count that the share of this node is computed from: in the last reply with `isCaughtUp`, or else when
   * the window became known.
   */
  readonly base: number;
  /** What this node has admitted since then. */
  readonly own: number;
  /** The count in the last reply of Redis. */
  readonly consumed: number;
  /** What this node admitted by itself and `consumed` does not yet include. */
  readonly pending: number;
}

/**
 * How many requests a node may admit by itself: its share of what was left at `base`, less what it has
 * admitted since. It is never more than what is left as far as the node knows. Replies during a fault do not
 * renew the share, because Redis may not know yet what the other nodes admitted.
 *
 * Nodes that saw the same count stay within the limit together. A node that missed the last `m`
 * requests of the others may exceed its part by its share of `m`.
 */
export function allowance(window: KnownWindow, limit: number, nodes: number): number {
  const { base, own, consumed, pending } = window;
  if (base >= limit) return 0;
  return Math.max(0, Math.min(shareOf(limit - base, nodes) - own, limit - consumed - pending));
}

type Entry = { -readonly [K in keyof KnownWindow]: number } & {
  readonly counter: string;
  /** In window time. */
  closesAt: number;
};

/** What was returned of a lease. */
interface Returned {
  readonly returned: number;
  /** When the window of the lease closes. */
  readonly resetAt: number;
}

const NOT_RETURNED: Returned = { returned: 0, resetAt: 0 };

/**
 * Beyond this number the window seen first is forgotten. For that window, the node then uses a share of the
 * whole limit.
 */
const WINDOWS_MAX = 1_000_000;

/**
 * The open windows that this node has seen. It continues them while Redis does not reply. A sliding window is
 * treated as a fixed one: what counted when Redis last replied counts until the window closes, and the next
 * window starts from 0. So a sliding limit admits no more than a fixed one would.
 */
export class KnownWindows {
  readonly #nodes: () => number;
  readonly #entries: SweptMap<Entry>;
  readonly #clock = new WindowClock();
  readonly #leases = new MemoryLeases();

  constructor(nodes: () => number, max = WINDOWS_MAX) {
    this.#nodes = nodes;
    this.#entries = new SweptMap(({ closesAt }, time) => closesAt <= time, max);
  }

  get size(): number {
    return this.#entries.size;
  }

  /**
   * Stores a reply of Redis: to a request, of which Redis granted `granted`, or to a local count (`granted`
   * is 0). `isCaughtUp`: see `Shard`; the count then includes what all nodes admitted.
   */
  observe(
    counter: string,
    { granted, consumed, resetAt }: LeaseResult,
    now: number,
    isCaughtUp: boolean,
  ): void {
    const time = this.#clock.windowTime(now);
    const closesAt = resetAt + this.#clock.setBack;
    if (closesAt <= time) return;
    const entry = this.#open(counter, closesAt, time, consumed - granted);
    entry.consumed = consumed;
    entry.closesAt = closesAt;
    if (isCaughtUp) {
      entry.base = consumed;
      entry.own = 0;
    } else entry.own += granted;
  }

  /** Adds a count from before Redis was configured. */
  load(counter: string, amount: number, resetAt: number, now: number): void {
    const time = this.#clock.windowTime(now);
    const closesAt = resetAt + this.#clock.setBack;
    if (closesAt > time) this.#open(counter, closesAt, time, amount).pending += amount;
  }

  /** The count of Redis now includes `amount` of what this node admitted by itself. */
  subtractMerged(counter: string, amount: number): void {
    const entry = this.#entries.get(counter);
    if (entry !== undefined) entry.pending -= amount;
  }

  /** The open windows, with the counts of the last replies. */
  *lastReplies(now: number): Generator<UnmergedCount> {
    const time = this.#clock.windowTime(now);
    for (const { counter, consumed, closesAt } of this.#entries.values())
      if (closesAt > time)
        yield {
          counter,
          amount: consumed,
          resetAt: closesAt - this.#clock.setBack,
          slidingMs: 0,
        };
  }

  take({ counter, limit, ttlMs }: WindowCheck, now: number): TakeResult {
    const { granted, ...state } = this.#grant({ counter, limit, ttlMs }, 1, now);
    return { allowed: granted > 0, ...state };
  }

  takeAll({ limits }: CounterSet, costs: LimitCosts, now: number, isDry: boolean): TakeAllResult {
    const time = this.#clock.windowTime(now);
    this.#entries.sweep(time);
    const nodes = this.#nodes();
    const checked = limits.map((limit, n) => {
      const entry = this.#find(limit, time);
      const available = allowance(entry, limit.limit, nodes);
      const cost = costAt(costs, n);
      return { entry, cost, available, isExceeded: cost > 0 && cost > available };
    });
    const isRefused = limits.some(({ isEnforced }, n) => isEnforced && checked[n]!.isExceeded);
    const states = checked.map(({ entry, cost, available, isExceeded }, n) => {
      const taken = isRefused || isDry || isExceeded ? 0 : cost;
      if (taken > 0) this.#admit(entry, taken);
      return { ...this.#state(entry, limits[n]!.limit, available - taken), isExceeded };
    });
    return { refusedBy: isRefused ? indexOfRefusingLimit(limits, states, costs) : -1, states };
  }

  lease(request: LeaseRequest, now: number): LeaseResult {
    const { id, counter, amount } = request;
    const result = this.#grant(request, amount, now);
    const { granted, resetAt } = result;
    const closesAt = resetAt + this.#clock.setBack;
    if (granted > 0)
      this.#leases.add(id, { counter, closesAt, granted }, this.#clock.windowTime(now));
    return result;
  }

  /** For a lease that this node granted: how many requests are returned, and when their window closes. */
  giveBack(id: string, counter: string, unused: number, now: number): Returned {
    const lease = this.#leases.take(id, counter);
    if (lease === undefined || lease.closesAt <= this.#clock.windowTime(now)) return NOT_RETURNED;
    const returned = Math.min(unused, lease.granted);
    const entry = this.#entries.get(counter);
    if (entry !== undefined) {
      entry.own -= returned;
      entry.pending -= returned;
    }
    return { returned, resetAt: lease.closesAt - this.#clock.setBack };
  }

  #grant(
    window: WindowCheck & Pick<CounterLimit, 'calendar'>,
    wanted: number,
    now: number,
  ): LeaseResult {
    const { counter, limit } = window;
    const time = this.#clock.windowTime(now);
    const entry = this.#open(counter, this.#closingTime(window, time), time, 0);
    const available = allowance(entry, limit, this.#nodes());
    const granted = Math.min(wanted, available);
    this.#admit(entry, granted);
    return { granted, ...this.#state(entry, limit, available - granted) };
  }

  /**
   * What this node may not admit counts as consumed by others, so that `remaining` is what it still admits.
   */
  #state({ base, own, closesAt }: Entry, limit: number, remaining: number) {
    const consumed = limit - remaining;
    const others = Math.max(0, consumed - base - own);
    return { consumed, others, resetAt: closesAt - this.#clock.setBack };
  }

  /** The entry of an open window, or one for a window that would open now. */
  #find(limit: CounterLimit, time: number): Entry {
    const { counter } = limit;
    const held = this.#entries.get(counter);
    if (held !== undefined && held.closesAt > time) return held;
    const closesAt = this.#closingTime(limit, time);
    return { counter, base: 0, own: 0, consumed: 0, pending: 0, closesAt };
  }

  #closingTime(limit: Pick<CounterLimit, 'ttlMs' | 'calendar'>, time: number): number {
    return closingTime(limit, time, this.#clock.setBack);
  }

  #admit(entry: Entry, amount: number): void {
    entry.own += amount;
    entry.pending += amount;
    if (this.#entries.get(entry.counter) !== entry) this.#add(entry);
  }

  #open(counter: string, closesAt: number, time: number, base: number): Entry {
    this.#entries.sweep(time);
    const held = this.#entries.get(counter);
    const fresh = { base, own: 0, consumed: 0, pending: 0, closesAt };
    if (held === undefined) return this.#add({ counter, ...fresh });
    return held.closesAt > time ? held : Object.assign(held, fresh);
  }

  #add(entry: Entry): Entry {
    this.#entries.set(entry.counter, entry);
    return entry;
  }
}
