import type { Leased, LeaseRequest, LocalCounters, OpenWindow, Taken } from './counters.ts';
import { MemoryLeases } from './memory-leases.ts';
import { WindowClock } from './window-clock.ts';

interface Window {
  readonly group: string;
  closesAt: number;
  consumed: number;
}

/** The longest `rateLimitTtl`: what a window loaded under a clock that was set back is cut to. */
const LONGEST_WINDOW_MS = 31 * 24 * 3600 * 1000;
/** Each request looks at this many windows, so that closed ones go sooner than new ones come. */
const SWEPT_AT_ONCE = 2;
/** Measured with a million windows, the text of the group included. */
const WINDOW_BYTES = 140;
/** A Map holds 2²⁴ entries. Beyond this many windows the one opened first makes room. */
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

  take(group: string, limit: number, ttlMs: number, now: number): Taken {
    const window = this.#opened(group, ttlMs, this.#clock.settle(now));
    const allowed = window.consumed < limit;
    if (allowed) window.consumed += 1;
    const { consumed, closesAt } = window;
    return { allowed, consumed, resetAt: closesAt - this.#clock.setBack };
  }

  lease({ id, group, limit, ttlMs, amount }: LeaseRequest, now: number): Leased {
    const time = this.#clock.settle(now);
    const window = this.#opened(group, ttlMs, time);
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
    // Windows of a group never close at the same moment: this tells the lease's own from a later one.
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
      if (closesAt > time) this.#opened(group, closesAt - time, time).consumed += consumed;
    }
  }

  get size(): number {
    return this.#windows.size;
  }

  get bytes(): number {
    return this.#windows.size * WINDOW_BYTES;
  }

  /** The open window of a group; one that closes `ttlMs` from now when there is none. */
  #opened(group: string, ttlMs: number, time: number): Window {
    this.#sweepSome(time);
    const held = this.#windows.get(group);
    if (held === undefined) return this.#add({ group, closesAt: time + ttlMs, consumed: 0 });
    if (held.closesAt <= time) {
      held.closesAt = time + ttlMs;
      held.consumed = 0;
    }
    return held;
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
    for (let looked = 0; looked < SWEPT_AT_ONCE; looked += 1) {
      const next = this.#sweep.next();
      if (next.done) {
        this.#sweep = this.#windows.values();
        return;
      }
      if (next.value.closesAt <= time) this.#windows.delete(next.value.group);
    }
  }
}
