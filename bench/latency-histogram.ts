/** From 1 µs up, each bucket 2 % wider than the one before: precise enough, and small for an hour. */
const LOWEST_MS = 0.001;
const GROWTH = 1.02;
const BUCKETS = 1_000;

export class LatencyHistogram {
  readonly #counts = new Uint32Array(BUCKETS);
  #total = 0;
  #maxMs = 0;

  add(ms: number): void {
    const place = Math.floor(Math.log(Math.max(ms, LOWEST_MS) / LOWEST_MS) / Math.log(GROWTH));
    this.#counts[Math.min(place, BUCKETS - 1)]!++;
    this.#total++;
    this.#maxMs = Math.max(this.#maxMs, ms);
  }

  get maxMs(): number {
    return this.#maxMs;
  }

  /** The upper end of the bucket that this share of them does not pass. 0 of none. */
  at(share: number): number {
    if (this.#total === 0) return 0;
    let left = Math.ceil(share * this.#total);
    const place = this.#counts.findIndex((count) => {
      left -= count;
      return left <= 0;
    });
    return Math.min(this.#maxMs, LOWEST_MS * GROWTH ** (place + 1));
  }

  clear(): void {
    this.#counts.fill(0);
    this.#total = 0;
    this.#maxMs = 0;
  }
}
