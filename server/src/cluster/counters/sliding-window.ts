import { closingTime } from './calendar-windows.ts';
import type { CounterLimit } from './counters.ts';

/** The open window of a counter. Times are window times. */
export interface Window {
  readonly counter: string;
  closesAt: number;
  consumed: number;
}

/**
 * The open window of a sliding limit, and the count of the previous window. The same arithmetic is in the
 * Lua scripts of Redis, so that all engines decide the same.
 */
export class SlidingWindow implements Window {
  readonly counter: string;
  closesAt: number;
  consumed: number;
  readonly windowMs: number;
  previous: number;

  constructor(window: Window, windowMs: number, previous: number) {
    this.counter = window.counter;
    this.closesAt = window.closesAt;
    this.consumed = window.consumed;
    this.windowMs = windowMs;
    this.previous = previous;
  }

  /** The fields that a fixed window lacks. */
  get sliding() {
    return { windowMs: this.windowMs, previous: this.previous };
  }

  /** When nothing of it counts any more. */
  get endsAt(): number {
    return this.closesAt + this.windowMs;
  }

  /** This window, the one after it if that has begun, or undefined if nothing counts any more. */
  at(time: number, ttlMs: number): SlidingWindow | undefined {
    if (this.closesAt > time) return this;
    if (time >= this.closesAt + Math.min(this.windowMs, ttlMs)) return undefined;
    const { counter, closesAt } = this;
    const next = { counter, closesAt: closesAt + ttlMs, consumed: 0 };
    return new SlidingWindow(next, ttlMs, this.consumed);
  }

  /** What counts at `time`, rounded up. */
  usedAt(time: number): number {
    return this.consumed + Math.ceil((this.previous * (this.closesAt - time)) / this.windowMs);
  }

  /** When `cost` fits; if it is above the limit, when nothing counts any more. */
  fitsAt(cost: number, { limit, ttlMs }: Pick<CounterLimit, 'limit' | 'ttlMs'>, time: number) {
    const { consumed, previous, closesAt, windowMs } = this;
    const room = limit - cost;
    const emptyAt = closesAt + Math.min(windowMs, ttlMs);
    if (room < 0) return consumed > 0 ? emptyAt : closesAt;
    if (consumed > room)
      // The cost fits in the next window, where this window counts as the previous one.
      return Math.min(emptyAt, closesAt + ttlMs - Math.floor((room * ttlMs) / consumed));
    if (previous === 0) return time;
    return Math.max(time, closesAt - Math.floor(((room - consumed) * windowMs) / previous));
  }
}

/**
 * The window that a limit counts in: the stored one, or one that would open now. `setBack`: how far `time` is ahead of
 * the clock.
 */
export function windowAt(
  stored: Window | undefined,
  limit: Pick<CounterLimit, 'counter' | 'ttlMs' | 'isSliding' | 'calendar'>,
  time: number,
  setBack = 0,
): Window {
  const { counter, ttlMs, isSliding } = limit;
  if (!isSliding) {
    if (stored !== undefined && stored.closesAt > time) return stored;
    return { counter, closesAt: closingTime(limit, time, setBack), consumed: 0 };
  }
  if (stored instanceof SlidingWindow) {
    const current = stored.at(time, ttlMs);
    if (current !== undefined) return current;
  } else if (stored !== undefined && stored.closesAt > time)
    return new SlidingWindow(stored, ttlMs, 0);
  return new SlidingWindow({ counter, closesAt: time + ttlMs, consumed: 0 }, ttlMs, 0);
}

/** What counts in a window that `windowAt` returned. */
export const usedAt = (
  window: Window,
  { isSliding }: Pick<CounterLimit, 'isSliding'>,
  time: number,
): number => (isSliding ? (window as SlidingWindow).usedAt(time) : window.consumed);
