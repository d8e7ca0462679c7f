/** What came of one request against its window. */
export interface Taken {
  readonly allowed: boolean;
  /** Requests counted in the open window, this one included when it was allowed. */
  readonly consumed: number;
  /** When the window closes, in milliseconds of the caller's clock. */
  readonly resetAt: number;
}

/** How many requests somebody wants to answer for without asking again, under an id of its own. */
export interface LeaseRequest {
  /** Chosen by us, never by a caller, and never used twice. */
  readonly id: string;
  readonly group: string;
  readonly limit: number;
  readonly ttlMs: number;
  /** An integer ≥ 1. */
  readonly amount: number;
}

/** What came of asking for several requests of a window at once. */
export interface Leased {
  /** From 0 to what was asked for: whatever the window still had. */
  readonly granted: number;
  /** Requests counted in the open window, the granted ones included. */
  readonly consumed: number;
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
 *
 * A lease counts what it grants at once. It is remembered until its window closes or it is given
 * back, whichever comes first; an engine may forget it sooner to bound its memory, and then only
 * what was not used is lost to that one window.
 */
export interface Counters {
  take(group: string, limit: number, ttlMs: number, now: number): Taken | Promise<Taken>;
  lease(request: LeaseRequest, now: number): Leased | Promise<Leased>;
  /**
   * Takes `unused` of a lease back into its window, if that is still open, and answers how many
   * were taken back: never more than were granted, and nothing for a lease that is not known, is
   * of another group, or was given back before.
   */
  giveBack(id: string, group: string, unused: number, now: number): number | Promise<number>;
}

/** Counters that live in this process: answered without waiting, lost unless they are carried over. */
export interface LocalCounters extends Counters {
  take(group: string, limit: number, ttlMs: number, now: number): Taken;
  lease(request: LeaseRequest, now: number): Leased;
  giveBack(id: string, group: string, unused: number, now: number): number;
  /** The windows open at `now`. Windows that open while this runs may or may not be among them. */
  entries(now: number): Iterable<OpenWindow>;
  /** Opens windows that another process held. One that is open here already adds the count to its own. */
  load(windows: Iterable<OpenWindow>, now: number): void;
  /** Windows held: the open ones, and closed ones that have not been swept yet. */
  readonly size: number;
  /** Memory that the windows take, roughly. */
  readonly bytes: number;
  /** Open windows that made room for others because there were too many. */
  readonly evicted: number;
}
