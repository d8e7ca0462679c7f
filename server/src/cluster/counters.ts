/** What came of one request against its window. */
export interface Taken {
  readonly allowed: boolean;
  /** Requests counted in the open window, this one included when it was allowed. */
  readonly consumed: number;
  /** When the window closes, in milliseconds of the caller's clock. */
  readonly resetAt: number;
}

/** A window as it is carried over a graceful restart. */
export interface OpenWindow {
  /** An id, such as `key_…`: keys that share a count (a rotation's two) share the group. */
  readonly group: string;
  readonly resetAt: number;
  readonly consumed: number;
}

/**
 * Fixed rate-limit windows. A window opens at the first request of its group and closes `ttlMs`
 * later; a refused request does not consume. `limit` acts at once, `ttlMs` only when a window
 * opens, so that a changed length holds from the next window on.
 */
export interface Counters {
  take(group: string, limit: number, ttlMs: number, now: number): Taken | Promise<Taken>;
}

/** Counters that live in this process: answered without waiting, lost unless they are carried over. */
export interface LocalCounters extends Counters {
  take(group: string, limit: number, ttlMs: number, now: number): Taken;
  /** The windows open at `now`. Windows that open while this runs may or may not be among them. */
  entries(now: number): Iterable<OpenWindow>;
  /** Opens windows that another process held. One that is open here already adds the count to its own. */
  load(windows: Iterable<OpenWindow>, now: number): void;
  /** Windows held: the open ones, and the closed ones whose place has not been used again. */
  readonly size: number;
  /** Memory that the windows take, free places included. */
  readonly bytes: number;
}
