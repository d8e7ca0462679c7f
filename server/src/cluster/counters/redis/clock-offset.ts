/** Smaller differences are network latency or normal clock drift. */
const TOLERATED_MS = 1_000;

/**
 * Difference between the clocks of this node and of Redis. Redis times the windows. Small differences are
 * ignored, so that every node returns the same `ratelimit-reset`. Larger ones are corrected; otherwise every
 * `Retry-After` of this node would be wrong by as much.
 */
export class ClockOffset {
  #ms = 0;

  /**
   * Redis read its clock between `sentAt` and `receivedAt`, which can be far apart on a busy machine. So a
   * range of differences is possible; if the stored one lies in it, it is kept.
   */
  observe(sentAt: number, redisTime: number, receivedAt: number): void {
    const least = sentAt - redisTime;
    const most = Math.max(sentAt, receivedAt) - redisTime;
    const measured = Math.min(Math.max(this.#ms, least), most);
    if (Math.abs(measured - this.#ms) <= TOLERATED_MS) return;
    this.#ms = Math.abs(measured) <= TOLERATED_MS ? 0 : measured;
  }

  toLocal(redisTime: number): number {
    return redisTime + this.#ms;
  }

  toRedis(localTime: number): number {
    return localTime - this.#ms;
  }
}
