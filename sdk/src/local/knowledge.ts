/** What was told is remembered for so long; a question that took longer teaches nothing. */
const REMEMBERED_MS = 10_000;
/** How old the last statement about changes may be. */
const BOUND_MS = 1_000;
/** How often the clock on the wall is looked at. */
const LOOK_EVERY_MS = 10;

/**
 * What may be believed, and what may be learnt: docs/decisions/0022 has the proof. All times are
 * the caller's own monotonic clock, in milliseconds.
 *
 * `heard`: everything changed before this moment has been told. `since`: from this moment on nothing
 * was missed. Both stand still when nothing is heard, and `since` starts anew after a gap.
 */
export class Knowledge {
  #since = Number.POSITIVE_INFINITY;
  #heard = Number.NEGATIVE_INFINITY;
  #wallAhead = 0;
  #freshUntil = Number.NEGATIVE_INFINITY;
  readonly #told = new Map<string, number>();

  /** What is remembered may be answered with. */
  isFresh(now: number): boolean {
    return now <= this.#freshUntil || this.#isStillFresh(now);
  }

  /** Looked at now and then: reading two clocks for each validation would be a tenth of its cost. */
  #isStillFresh(now: number): boolean {
    if (!(now - this.#heard <= BOUND_MS)) return false;
    // A machine that slept may have a monotonic clock that slept too; the one on the wall did not.
    if (Date.now() - now - this.#wallAhead > BOUND_MS) return false;
    this.#freshUntil = Math.min(this.#heard + BOUND_MS, now + LOOK_EVERY_MS);
    return true;
  }

  /** Something may have been missed before `moment`. */
  begin(moment: number): void {
    this.#since = moment;
    this.#heard = Number.NEGATIVE_INFINITY;
    this.#freshUntil = Number.NEGATIVE_INFINITY;
  }

  /** Nothing is known any more, until the next beginning. */
  lose(): void {
    this.begin(Number.POSITIVE_INFINITY);
  }

  statement(moment: number, now: number): void {
    if (moment <= this.#heard) return;
    this.#heard = moment;
    this.#wallAhead = Date.now() - now;
  }

  /** A key or a project changed, as was heard just now. */
  tell(id: string, now: number): void {
    for (const [old, at] of this.#told) {
      if (now - at < REMEMBERED_MS) break;
      this.#told.delete(old);
    }
    this.#told.delete(id);
    this.#told.set(id, now);
  }

  /**
   * Whether an answer may be remembered that reflects everything changed before `moment`: whatever
   * it does not reflect must be heard of after now, or have been heard of before.
   */
  mayLearn(moment: number, now: number, ...ids: readonly string[]): boolean {
    if (moment < this.#since || now - moment > REMEMBERED_MS) return false;
    return ids.every((id) => (this.#told.get(id) ?? Number.NEGATIVE_INFINITY) < moment);
  }
}
