/** Smaller differences are network latency or normal clock drift. */
const TOLERATED_MS = 1_000;

/**
 * Difference between the clocks of this node and of Redis. Redis times the windows. Small differences are
 * ignored, so that every node returns the same `ratelimit-reset`. Larger ones are corrected; otherwise every
 * `Retry-After` of this node would be wrong by as much.
 */
export class ClockOffset {
  #ms = 0;

  observe(localTime: number, redisTime: number): void {
    const measured = localTime - redisTime;
    if (Math.abs(measured - this.#ms) <= TOLERATED_MS) return;
    this.#ms = Math.abs(measured) <= TOLERATED_MS ? 0 : measured;
  }

  toLocal(redisTime: number): number {
    return redisTime + this.#ms;
  }
}
