/** A `now` that is behind by more than this means that the clock was set back. */
const STEP_BACK_MS = 1000;

/**
 * The time of rate-limit windows, which never runs backwards. A `now` slightly behind the last one
 * belongs to a request that waited, and counts as the last one. If `now` is more than a second
 * behind, the clock was set back: the difference is added from then on, so that every open window
 * keeps its remaining time. Otherwise setting the clock back an hour would refuse an exhausted key
 * for an hour longer. A clock set forward looks like a pause, and closes windows early. So a window
 * may be shorter than its length, but is never longer by more than that second.
 */
export class WindowClock {
  #time = Number.NEGATIVE_INFINITY;
  #setBack = 0;

  /** What to subtract from a window time to get a time of the caller's clock. */
  get setBack(): number {
    return this.#setBack;
  }

  /** The window time of a request made at `now`. */
  windowTime(now: number): number {
    const next = now + this.#setBack;
    if (next >= this.#time) this.#time = next;
    else if (this.#time - next > STEP_BACK_MS) this.#setBack = this.#time - now;
    return this.#time;
  }
}
