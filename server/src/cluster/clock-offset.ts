/** Less than this is a message on its way, or clocks that are kept in step. */
const TOLERATED_MS = 1_000;

/**
 * How far this node's clock is ahead of the one that windows are kept by. Small differences count
 * as none, so that every node tells the same `ratelimit-reset`; a clock that is wrong by more would
 * otherwise make every `Retry-After` of its node wrong by as much.
 */
export class ClockOffset {
  #ms = 0;

  observe(here: number, there: number): void {
    const measured = here - there;
    if (Math.abs(measured - this.#ms) <= TOLERATED_MS) return;
    this.#ms = Math.abs(measured) <= TOLERATED_MS ? 0 : measured;
  }

  toHere(there: number): number {
    return there + this.#ms;
  }
}
