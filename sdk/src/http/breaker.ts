/** So many failures in a row open the breaker. One request may fail because its connection was just closed. */
const FAILURES_MAX = 5;
/** While the breaker is open, the server gets at most one request in this time. */
const PROBE_EVERY_MS = 1_000;
/** A longer `Retry-After` is not believed: the server may be well again before. */
const RETRY_AFTER_MS_MAX = 30_000;
/**
 * If the last probe could have been sent longer ago than this, requests are rare. The next one is sent and waits for its
 * result, because the last failure says little about the server by now.
 */
const RARE_MS = 5_000;
/** A probe whose result was not recorded by then is forgotten: its process was forked or suspended. */
const PROBE_MS_MAX = 10_000;

/** Sent by a server or a proxy that cannot process requests at the moment. */
const UNAVAILABLE_STATUSES: readonly number[] = [502, 503, 504];

/**
 * How a request ended: the status of its response, or why there was none. `cancelled`: by its caller, so it says nothing
 * about the server.
 */
export type Outcome = number | 'unreachable' | 'timeout' | 'cancelled';

export interface Admission {
  /**
   * `probe`: the request is refused, but a request without effect must be sent in its place, for whose result nobody
   * waits.
   */
  readonly decision: 'send' | 'probe' | 'refuse';
  readonly at: number;
  readonly round: number;
}

/**
 * Circuit breaker: while the server does not respond, requests are refused at once instead of waiting for their timeout.
 *
 * - closed: all requests are sent. A timeout opens the breaker, because its caller has waited long enough for all
 *   others; so does the fifth failure in a row (no connection, or a 502, 503 or 504).
 * - open: all requests are refused, until a second after the last request was sent, or for as long as its
 *   `Retry-After` says.
 * - half-open: the next request causes a probe, and is refused like all others while that is under way. If requests are
 *   rare, it is the probe itself. The result of the probe closes the breaker, or opens it again.
 *
 * Each change of the state begins a round. Results of requests of earlier rounds are ignored. Times are on a monotonic
 * clock, in milliseconds. The clients for Python and Go have the same breaker; sdk/test/breaker-cases.ts tests all three.
 */
export class Breaker {
  #state: 'closed' | 'open' | 'half-open' = 'closed';
  #round = 0;
  #failures = 0;
  /** Open: when the next probe may be sent. Half-open: when the probe is forgotten. */
  #until = 0;
  readonly #failing: readonly number[];

  /** `failing`: the statuses that count as failures. */
  constructor(failing = UNAVAILABLE_STATUSES) {
    this.#failing = failing;
  }

  admit(now: number): Admission {
    if (this.#state === 'closed') return { decision: 'send', at: now, round: this.#round };
    if (now < this.#until) return { decision: 'refuse', at: now, round: this.#round };
    const isRare = this.#state === 'open' && now - this.#until > RARE_MS;
    this.#enter('half-open', now + PROBE_MS_MAX);
    return { decision: isRare ? 'send' : 'probe', at: now, round: this.#round };
  }

  /** To be called once for each admission, unless it refused. `retryAfterMs`: what the response asked for. */
  record({ at, round }: Admission, outcome: Outcome, now: number, retryAfterMs = 0): void {
    if (round !== this.#round) return;
    const isProbe = this.#state === 'half-open';
    if (outcome === 'cancelled') {
      if (isProbe) this.#enter('open', now);
    } else if (typeof outcome === 'number' && !this.#failing.includes(outcome)) {
      this.#failures = 0;
      if (isProbe) this.#enter('closed', 0);
    } else {
      this.#failures++;
      const until = Math.max(at + PROBE_EVERY_MS, now + Math.min(retryAfterMs, RETRY_AFTER_MS_MAX));
      if (isProbe || outcome === 'timeout' || this.#failures >= FAILURES_MAX)
        this.#enter('open', until);
    }
  }

  /** How long requests will be refused, as far as is known. */
  waitMs(now: number): number {
    return this.#state === 'open' ? Math.max(0, this.#until - now) : 0;
  }

  #enter(state: 'closed' | 'open' | 'half-open', until: number): void {
    this.#state = state;
    this.#until = until;
    this.#round++;
  }
}
