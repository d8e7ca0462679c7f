/** A request may carry a `now` read this long before that of another; more is a clock set back. */
const STEP_BACK_MS = 1000;

/**
 * The time of windows, which never runs backwards. A `now` a little behind the last one is a
 * request that waited and counts as the last one. A `now` more than a second behind is a clock that
 * was set back: from then on the difference is added, so that every open window keeps the time it
 * had left. Otherwise setting the clock back an hour would keep a spent key refused for an hour. A
 * clock set forward cannot be told from a pause, and closes windows early. So a window may be cut
 * short by the clock but does not outlast its length (by more than that second, when a step back is
 * smaller than it).
 */
export interface WindowClock {
  /** The time of a request that was made at `now`. */
  settle(now: number): number;
  /** What to take off a time to tell it by the caller's clock. */
  readonly setBack: number;
}

export interface ClockState {
  readonly time: number;
  readonly setBack: number;
}

export const CLOCK_AT_START: ClockState = { time: Number.NEGATIVE_INFINITY, setBack: 0 };

export function settled({ time, setBack }: ClockState, now: number): ClockState {
  const next = now + setBack;
  if (next >= time) return { time: next, setBack };
  return time - next > STEP_BACK_MS ? { time, setBack: time - now } : { time, setBack };
}

export class LocalWindowClock implements WindowClock {
  #state = CLOCK_AT_START;
  #lastNow = Number.NaN;

  get setBack(): number {
    return this.#state.setBack;
  }

  settle(now: number): number {
    if (now !== this.#lastNow) {
      this.#lastNow = now;
      this.#state = settled(this.#state, now);
    }
    return this.#state.time;
  }
}
