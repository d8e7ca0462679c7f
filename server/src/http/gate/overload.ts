import { KeywardError } from '../../kernel/errors.ts';

const SAMPLE_EVERY_MS = 100;
const LAG_TO_SHED_MS = 1_000;
const LAG_TO_RECOVER_MS = 250;

export interface OverloadLimits {
  /** Requests in progress in the router. */
  readonly inFlightMax: number;
  /** Validations of the hot path that wait for a row or a counter; each costs only a socket and a promise. */
  readonly waitingMax: number;
}

const LIMITS: OverloadLimits = { inFlightMax: 2_000, waitingMax: 10_000 };

/**
 * The share of either limit that one account may use. An account and not an access key: somebody with 100
 * access keys must not have 100 shares.
 */
const SHARE_OF_ACCOUNT = 1 / 4;

/**
 * Decides when to reject requests instead of queuing them: when the event loop was late twice in a row
 * (once may be a garbage collection), when too many requests are in progress, or when too many of them
 * are from one account. A request counts towards the total once its body is complete, so that
 * incomplete requests take no slots; it counts for its account as soon as it is authenticated.
 *
 * accepting → shedding (two late samples) → accepting (one sample on time)
 */
export class Overload {
  readonly #limits: OverloadLimits;
  inFlight = 0;
  waiting = 0;
  shed = 0;
  readonly #requestsOf = new Map<string, number>();
  readonly #waitingOf = new Map<string, number>();
  #late = 0;
  #shedding = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: OverloadLimits = LIMITS) {
    this.#limits = limits;
  }

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
    const { inFlightMax, waitingMax } = this.#limits;
    return this.#shedding || this.inFlight >= inFlightMax || this.waiting >= waitingMax;
  }

  /** Whether an account, or another holder with a share of its own, has used its share. */
  isFullFor(holder: string, share = SHARE_OF_ACCOUNT): boolean {
    const { inFlightMax, waitingMax } = this.#limits;
    return (
      (this.#requestsOf.get(holder) ?? 0) >= inFlightMax * share ||
      (this.#waitingOf.get(holder) ?? 0) >= waitingMax * share
    );
  }

  /** The error for a rejected request; counts it. */
  refusal(message?: string): KeywardError {
    this.shed++;
    return new KeywardError('overloaded', message, { headers: ['Retry-After', '1'] });
  }

  /** Counts a request, from its authentication to the end of the response. */
  hold(holder: string): void {
    add(this.#requestsOf, holder, 1);
  }

  release(holder: string): void {
    add(this.#requestsOf, holder, -1);
  }

  /** Counts a validation of the hot path that begins to wait for a row or a counter. */
  beginWait(holder: string): void {
    this.waiting++;
    add(this.#waitingOf, holder, 1);
  }

  endWait(holder: string): void {
    this.waiting--;
    add(this.#waitingOf, holder, -1);
  }

  get counts(): { shed: number; inFlight: number } {
    return { shed: this.shed, inFlight: this.inFlight + this.waiting };
  }
}

function add(counts: Map<string, number>, holder: string, change: number): void {
  const count = (counts.get(holder) ?? 0) + change;
  if (count === 0) counts.delete(holder);
  else counts.set(holder, count);
}
