/** A request may carry a `now` read this long before that of another; more is a clock set back. */
const STEP_BACK_MS = 1000;

/**
 * The time of rate-limit windows, which never runs backwards. A `now` a little behind the last one
 * is a request that waited, and counts as the last one. A `now` more than a second behind is a clock
 * that was set back: from then on the difference is added, so that every open window keeps the time
 * it had left. Otherwise setting the clock back an hour would keep a spent key refused for an hour.
 * A clock set forward cannot be told from a pause, and closes windows early. So the clock may cut a
 * window short, but a window never outlasts its length by more than that second.
 */
export class WindowClock {
  #time = Number.NEGATIVE_INFINITY;
  #setBack = 0;

  /** What to subtract from a window time to get a time of the caller's clock. */
  get setBack(): number {
    return this.#setBack;
  }

  /** The window time of a request made at `now`. */
  settle(now: number): number {
    const next = now + this.#setBack;
    if (next >= this.#time) this.#time = next;
    else if (this.#time - next > STEP_BACK_MS) this.#setBack = this.#time - now;
    return this.#time;
  }
}
