/** How long changes are remembered. The response to a request that took longer is not cached. */
const CHANGES_KEPT_MS = 10_000;
/** Maximum age of `completeUntil` for validating locally. */
const BOUND_MS = 1_000;

/**
 * Decides whether cached keys may be used and whether a response may be cached; docs/decisions/0022 has
 * the proof. All times are on the caller's monotonic clock, in milliseconds.
 *
 * `completeUntil`: all changes before this time have been received. `completeSince`: no change after
 * this time was missed. Neither moves while the stream is silent; a gap in the stream resets both.
 */
export class Freshness {
  #completeSince = Number.POSITIVE_INFINITY;
  #completeUntil = Number.NEGATIVE_INFINITY;
  /** Wall clock minus monotonic clock, at the last `advance`. */
  #wallOffset = Number.POSITIVE_INFINITY;
  readonly #changes = new Map<string, number>();

  /** Whether cached keys may be used. */
  isFresh(now: number): boolean {
    return now - this.#completeUntil <= BOUND_MS && !this.hasSlept(now);
  }

  /** Time since all changes were last known to be received; infinite after a gap in the stream. */
  behindMs(now: number): number {
    return now + this.sleptMs(now) - this.#completeUntil;
  }

  /**
   * How long the monotonic clock stood still since the last `advance`, because the machine slept; the
   * wall clock goes on.
   */
  sleptMs(now: number): number {
    return Math.max(0, Date.now() - now - this.#wallOffset);
  }

  /**
   * Whether the machine slept for more than a second: times on the monotonic clock, such as the expiry of
   * keys, are then wrong.
   */
  hasSlept(now: number): boolean {
    return this.sleptMs(now) > BOUND_MS;
  }

  /** Starts again: changes before `moment` may have been missed. */
  restart(moment: number): void {
    this.#completeSince = moment;
    this.#completeUntil = Number.NEGATIVE_INFINITY;
    this.#wallOffset = Number.POSITIVE_INFINITY;
  }

  /** Nothing is fresh until the next `restart`. */
  invalidate(): void {
    this.restart(Number.POSITIVE_INFINITY);
  }

  /** All changes before `moment` have been received. */
  advance(moment: number, now: number): void {
    if (moment <= this.#completeUntil) return;
    this.#completeUntil = moment;
    this.#wallOffset = Date.now() - now;
  }

  /** A change of this key, project, plan or customer was received. */
  recordChange(id: string, now: number): void {
    for (const [old, at] of this.#changes) {
      if (now - at < CHANGES_KEPT_MS) break;
      this.#changes.delete(old);
    }
    this.#changes.delete(id);
    this.#changes.set(id, now);
  }

  /**
   * Whether a response that reflects all changes before `moment` may be cached. Since `moment`, the stream
   * must have had no gap, and no change of these ids may have been received. So a change that the response
   * does not reflect will still arrive, and removes the entry.
   */
  mayCache(moment: number, now: number, ...ids: readonly string[]): boolean {
    if (moment < this.#completeSince || now - moment > CHANGES_KEPT_MS) return false;
    return ids.every((id) => (this.#changes.get(id) ?? Number.NEGATIVE_INFINITY) < moment);
  }
}
