/** A key that the server begins to lease is leased here after at most this long. */
const REMEMBERED_MS = 5_000;
const VALUES_MAX = 10_000;

/**
 * Values that the server validates each time, so that it is not asked for leases before each of these validations.
 * Forgotten after a while: the limits of the key may have changed.
 */
export class UnleasedValues {
  readonly #until = new Map<string, number>();

  add(value: string, now: number): void {
    if (this.#until.size >= VALUES_MAX) this.#until.clear();
    this.#until.set(value, now + REMEMBERED_MS);
  }

  has(value: string, now: number): boolean {
    const until = this.#until.get(value);
    if (until === undefined) return false;
    if (now < until) return true;
    this.#until.delete(value);
    return false;
  }
}
