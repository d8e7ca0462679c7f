import { lock, unlock } from './shared-lock.ts';
import { CLOCK_AT_START, settled, type WindowClock } from './window-clock.ts';

/**
 * One time for all threads, or each would notice at another moment that the clock was set back and
 * give windows another length. Looked at once a millisecond: until then `now` is the same.
 */
export class SharedWindowClock implements WindowClock {
  readonly #lock: Int32Array;
  /** time, setBack. */
  readonly #state: Float64Array;
  #time = 0;
  #setBack = 0;
  #lastNow = Number.NaN;

  static prepare(memory: SharedArrayBuffer, offset: number): void {
    new Float64Array(memory, offset + 8, 2).set([CLOCK_AT_START.time, CLOCK_AT_START.setBack]);
  }

  constructor(memory: SharedArrayBuffer, offset: number) {
    this.#lock = new Int32Array(memory, offset, 1);
    this.#state = new Float64Array(memory, offset + 8, 2);
  }

  get setBack(): number {
    return this.#setBack;
  }

  settle(now: number): number {
    if (now === this.#lastNow) return this.#time;
    lock(this.#lock, 0);
    const next = settled({ time: this.#state[0]!, setBack: this.#state[1]! }, now);
    this.#state[0] = next.time;
    this.#state[1] = next.setBack;
    unlock(this.#lock, 0);
    this.#time = next.time;
    this.#setBack = next.setBack;
    this.#lastNow = now;
    return next.time;
  }
}
