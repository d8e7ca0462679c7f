import { costAt, indexOfRefusingLimit, type LimitCosts } from '@keyward/rules/limit-set.ts';
import {
  type CounterLimit,
  type CounterSet,
  type CounterState,
  type LeaseRequest,
  type LeaseResult,
  LONG_WINDOW_MS,
  type LocalCounters,
  type OpenWindow,
  type TakeAllResult,
  type TakeResult,
} from './counters.ts';
import { MemoryLeases } from './memory-leases.ts';
import { SlidingWindow, usedAt, type Window, windowAt } from './sliding-window.ts';
import { SweptMap } from './swept-map.ts';
import { WindowClock } from './window-clock.ts';

/** The fields of a limit that its window depends on. */
type WindowLimit = Pick<CounterLimit, 'counter' | 'limit' | 'ttlMs' | 'isSliding' | 'calendar'>;

/** The longest window, and a change of the clock; caps windows that were saved before the clock was set back. */
const LONGEST_WINDOW_MS = 32 * 24 * 3600 * 1000;
/** Memory per window, including the counter's name. Measured with a million windows. */
const WINDOW_BYTES = 140;
/** If there are more, the window opened first is evicted. A Map cannot hold more than 2²⁴ entries. */
const WINDOWS_MAX = 10_000_000;

/** Exact windows in the memory of this process. */
export class MemoryCounters implements LocalCounters {
  readonly #windows: SweptMap<Window>;
  readonly #clock = new WindowClock();
  readonly #leases = new MemoryLeases();
  /** Counters of long windows that changed since they were saved. Null: nobody saves them. */
  readonly #changed: Set<string> | null;

  constructor({ windowsMax = WINDOWS_MAX, isSaved = false } = {}) {
    this.#windows = new SweptMap(hasEnded, windowsMax);
    this.#changed = isSaved ? new Set() : null;
  }

  take(counter: string, limit: number, ttlMs: number, now: number): TakeResult {
    const window = this.#openWindow(counter, ttlMs, this.#clock.windowTime(now));
    const allowed = window.consumed < limit;
    if (allowed) {
      window.consumed += 1;
      this.#noteChange(counter, ttlMs);
    }
    const { consumed, closesAt } = window;
    return { allowed, consumed, resetAt: closesAt - this.#clock.setBack };
  }

  takeAll({ limits }: CounterSet, costs: LimitCosts, now: number, isDry = false): TakeAllResult {
    const time = this.#clock.windowTime(now);
    this.#windows.sweep(time);
    const windows: Window[] = [];
    let isRefused = false;
    for (let n = 0; n < limits.length; n++) {
      const limit = limits[n]!;
      const window = this.#windowOf(limit, time);
      windows.push(window);
      isRefused ||=
        limit.isEnforced && isExceeded(limit, usedAt(window, limit, time), costAt(costs, n));
    }
    const takesNothing = isRefused || isDry;
    const states = limits.map((limit, n) =>
      this.#count(limit, windows[n]!, costAt(costs, n), takesNothing, time),
    );
    return { refusedBy: isRefused ? indexOfRefusingLimit(limits, states, costs) : -1, states };
  }

  lease(request: LeaseRequest, now: number): LeaseResult {
    const { id, counter, limit, amount } = request;
    const time = this.#clock.windowTime(now);
    this.#windows.sweep(time);
    const window = this.#windowOf(request, time);
    const used = usedAt(window, request, time);
    const granted = Math.min(amount, Math.max(0, limit - used));
    const { closesAt } = window;
    if (granted > 0) {
      window.consumed += granted;
      this.#put(window);
      this.#noteChange(counter, request.ttlMs);
      this.#leases.add(id, { counter, closesAt, granted }, time);
    }
    return { granted, consumed: used + granted, resetAt: closesAt - this.#clock.setBack };
  }

  giveBack(id: string, counter: string, unused: number, now: number): number {
    const lease = this.#leases.take(id, counter);
    const window = this.#windows.get(counter);
    if (lease === undefined || window === undefined) return 0;
    // No two windows of a counter close at the same time, so `closesAt` tells whether this is the window of the lease.
    if (lease.closesAt <= this.#clock.windowTime(now) || window.closesAt !== lease.closesAt)
      return 0;
    const returned = Math.min(unused, lease.granted, window.consumed);
    window.consumed -= returned;
    // How long the window is, is not known here.
    this.#noteChange(counter, LONG_WINDOW_MS);
    return returned;
  }

  *entries(now: number): Generator<OpenWindow> {
    const time = this.#clock.windowTime(now);
    for (const stored of this.#windows.values()) {
      const window = this.#openAt(stored, time);
      if (window !== undefined) yield window;
    }
  }

  takeChanged(now: number, count: number): OpenWindow[] {
    const time = this.#clock.windowTime(now);
    const taken: OpenWindow[] = [];
    for (const counter of this.#changed ?? []) {
      if (taken.length === count) break;
      this.#changed?.delete(counter);
      const stored = this.#windows.get(counter);
      const window = stored && this.#openAt(stored, time);
      if (window !== undefined) taken.push(window);
    }
    return taken;
  }

  markChanged(windows: readonly OpenWindow[]): void {
    for (const { counter } of windows) this.#changed?.add(counter);
  }

  load(windows: Iterable<OpenWindow>, now: number): void {
    const time = this.#clock.windowTime(now);
    for (const { counter, resetAt, consumed, sliding } of windows) {
      const closesAt = Math.min(resetAt + this.#clock.setBack, time + LONGEST_WINDOW_MS);
      if (sliding !== null) {
        const { windowMs, previous } = sliding;
        const saved = new SlidingWindow({ counter, closesAt, consumed }, windowMs, previous);
        this.#loadSliding(saved.at(time, windowMs), time);
      } else if (closesAt > time)
        this.#openWindow(counter, closesAt - time, time).consumed += consumed;
    }
  }

  get size(): number {
    return this.#windows.size;
  }

  get bytes(): number {
    return this.#windows.size * WINDOW_BYTES;
  }

  get evicted(): number {
    return this.#windows.evicted;
  }

  #noteChange(counter: string, windowMs: number): void {
    if (this.#changed !== null && windowMs >= LONG_WINDOW_MS) this.#changed.add(counter);
  }

  #openAt(stored: Window, time: number): OpenWindow | undefined {
    const window = stored instanceof SlidingWindow ? stored.at(time, stored.windowMs) : stored;
    if (window === undefined || window.closesAt <= time) return undefined;
    const { counter, closesAt, consumed } = window;
    const sliding = window instanceof SlidingWindow ? window.sliding : null;
    return { counter, resetAt: closesAt - this.#clock.setBack, consumed, sliding };
  }

  #loadSliding(saved: SlidingWindow | undefined, time: number): void {
    if (saved === undefined) return;
    const { counter, windowMs: ttlMs } = saved;
    if (this.#windows.get(counter) === undefined) {
      this.#put(saved);
      return;
    }
    const open = this.#windowOf({ counter, limit: 0, ttlMs, isSliding: true }, time);
    open.consumed += saved.consumed;
    (open as SlidingWindow).previous += saved.previous;
    this.#put(open);
  }

  #windowOf(limit: WindowLimit, time: number): Window {
    return windowAt(this.#windows.get(limit.counter), limit, time, this.#clock.setBack);
  }

  #count(
    limit: CounterLimit,
    window: Window,
    cost: number,
    takesNothing: boolean,
    time: number,
  ): CounterState {
    let used = usedAt(window, limit, time);
    const exceeded = isExceeded(limit, used, cost);
    if (cost > 0 && !takesNothing && !exceeded) {
      window.consumed += cost;
      used += cost;
      this.#put(window);
      this.#noteChange(limit.counter, limit.ttlMs);
    }
    const consumed = Math.min(used, limit.limit);
    return { consumed, resetAt: this.#resetOf(window, limit, cost, time), isExceeded: exceeded };
  }

  /** On the caller's clock. */
  #resetOf(window: Window, limit: WindowLimit, cost: number, time: number): number {
    const resetAt = limit.isSliding
      ? (window as SlidingWindow).fitsAt(Math.max(1, cost), limit, time)
      : window.closesAt;
    return resetAt - this.#clock.setBack;
  }

  /** The open fixed window of a counter; opens one for `ttlMs` if there is none. */
  #openWindow(counter: string, ttlMs: number, time: number): Window {
    this.#windows.sweep(time);
    const window = this.#windows.get(counter);
    if (window === undefined) return this.#put({ counter, closesAt: time + ttlMs, consumed: 0 });
    if (window.closesAt > time) return window;
    if (window instanceof SlidingWindow)
      return this.#put({ counter, closesAt: time + ttlMs, consumed: 0 });
    window.closesAt = time + ttlMs;
    window.consumed = 0;
    return window;
  }

  #put(window: Window): Window {
    this.#windows.set(window.counter, window);
    return window;
  }
}

/** Nothing of the window counts any more. */
const hasEnded = (window: Window, time: number): boolean =>
  (window instanceof SlidingWindow ? window.endsAt : window.closesAt) <= time;

const isExceeded = ({ limit }: WindowLimit, used: number, cost: number): boolean =>
  cost > 0 && used + cost > limit;
