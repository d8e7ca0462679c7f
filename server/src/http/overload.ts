const SAMPLE_EVERY_MS = 100;
const LAG_TO_SHED_MS = 1_000;
const LAG_TO_RECOVER_MS = 250;
const IN_FLIGHT_MAX = 2_000;
/** They hold a socket and a promise, not a request of the router: a burst for Redis is no overload. */
const WAITING_MAX = 10_000;

/**
 * Says when to refuse work instead of piling it up: when the event loop has been late twice in a
 * row (once may be a garbage collection), or when too many requests wait for storage.
 * accepting → shedding (two late samples) → accepting (one sample in time).
 */
export class Overload {
  inFlight = 0;
  /** Validations ahead of the router that wait for a row or a counter. */
  waiting = 0;
  shed = 0;
  #late = 0;
  #shedding = false;
  #timer: NodeJS.Timeout | undefined;

  start(): void {
    let expected = performance.now() + SAMPLE_EVERY_MS;
    this.#timer = setInterval(() => {
      const now = performance.now();
      this.sample(now - expected);
      expected = now + SAMPLE_EVERY_MS;
    }, SAMPLE_EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  sample(lagMs: number): void {
    this.#late = lagMs > LAG_TO_SHED_MS ? this.#late + 1 : 0;
    if (this.#late >= 2) this.#shedding = true;
    else if (lagMs < LAG_TO_RECOVER_MS) this.#shedding = false;
  }

  get shedding(): boolean {
    return this.#shedding || this.inFlight >= IN_FLIGHT_MAX || this.waiting >= WAITING_MAX;
  }

  get figures(): { shed: number; inFlight: number } {
    return { shed: this.shed, inFlight: this.inFlight + this.waiting };
  }
}
