import type {
  LeaseRequest,
  LeaseResult,
  LocalCounters,
  OpenWindow,
  TakeResult,
} from './counters.ts';
import { MemoryLeases } from './memory-leases.ts';
import { WindowClock } from './window-clock.ts';

interface Window {
  readonly group: string;
  closesAt: number;
  consumed: number;
}

/** The longest `rateLimitTtl`; caps windows that were saved before the clock was set back. */
const LONGEST_WINDOW_MS = 31 * 24 * 3600 * 1000;
/** Each request checks this many windows, so that closed ones are removed faster than new ones open. */
const SWEPT_PER_REQUEST = 2;
/** Measured with a million windows, including the group name. */
const WINDOW_BYTES = 140;
/** A Map holds at most 2²⁴ entries. Beyond this number the window opened first is evicted. */
const WINDOWS_MAX = 10_000_000;

/** Exact windows in the memory of this process. */
export class MemoryCounters implements LocalCounters {
  readonly #windows = new Map<string, Window>();
  readonly #windowsMax: number;
  readonly #clock = new WindowClock();
  readonly #leases = new MemoryLeases();
  #sweep = this.#windows.values();
  evicted = 0;

  constructor(windowsMax = WINDOWS_MAX) {
    this.#windowsMax = windowsMax;
  }

  take(group: string, limit: number, ttlMs: number, now: number): TakeResult {
    const window = this.#openWindow(group, ttlMs, this.#clock.settle(now));
    const allowed = window.consumed < limit;
    if (allowed) window.consumed += 1;
    const { consumed, closesAt } = window;
    return { allowed, consumed, resetAt: closesAt - this.#clock.setBack };
  }

  lease({ id, group, limit, ttlMs, amount }: LeaseRequest, now: number): LeaseResult {
    const time = this.#clock.settle(now);
    const window = this.#openWindow(group, ttlMs, time);
    const { closesAt } = window;
    const granted = Math.min(amount, Math.max(0, limit - window.consumed));
    window.consumed += granted;
    if (granted > 0) this.#leases.add(id, { group, closesAt, granted }, time);
    return { granted, consumed: window.consumed, resetAt: closesAt - this.#clock.setBack };
  }

  giveBack(id: string, group: string, unused: number, now: number): number {
    const lease = this.#leases.take(id, group);
    const window = this.#windows.get(group);
    if (lease === undefined || window === undefined) return 0;
    // Windows of a group never close at the same time, so `closesAt` identifies the window of the lease.
    if (lease.closesAt <= this.#clock.settle(now) || window.closesAt !== lease.closesAt) return 0;
    const returned = Math.min(unused, lease.granted, window.consumed);
    window.consumed -= returned;
    return returned;
  }

  *entries(now: number): Generator<OpenWindow> {
    const time = this.#clock.settle(now);
    for (const { group, closesAt, consumed } of this.#windows.values())
      if (closesAt > time) yield { group, resetAt: closesAt - this.#clock.setBack, consumed };
  }

  load(windows: Iterable<OpenWindow>, now: number): void {
    const time = this.#clock.settle(now);
    for (const { group, resetAt, consumed } of windows) {
      const closesAt = Math.min(resetAt + this.#clock.setBack, time + LONGEST_WINDOW_MS);
      if (closesAt > time) this.#openWindow(group, closesAt - time, time).consumed += consumed;
    }
  }

  get size(): number {
    return this.#windows.size;
  }

  get bytes(): number {
    return this.#windows.size * WINDOW_BYTES;
  }

  /** The open window of a group; opens one for `ttlMs` if there is none. */
  #openWindow(group: string, ttlMs: number, time: number): Window {
    this.#sweepSome(time);
    const window = this.#windows.get(group);
    if (window === undefined) return this.#add({ group, closesAt: time + ttlMs, consumed: 0 });
    if (window.closesAt <= time) {
      window.closesAt = time + ttlMs;
      window.consumed = 0;
    }
    return window;
  }

  #add(window: Window): Window {
    if (this.#windows.size >= this.#windowsMax)
      for (const first of this.#windows.keys()) {
        this.#windows.delete(first);
        this.evicted += 1;
        break;
      }
    this.#windows.set(window.group, window);
    return window;
  }

  #sweepSome(time: number): void {
    for (let checked = 0; checked < SWEPT_PER_REQUEST; checked += 1) {
      const next = this.#sweep.next();
      if (next.done) {
        this.#sweep = this.#windows.values();
        return;
      }
      if (next.value.closesAt <= time) this.#windows.delete(next.value.group);
    }
  }
}
