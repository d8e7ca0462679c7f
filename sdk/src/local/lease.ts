import type { RateLimitState } from '../generated/api-types.ts';

/** The unused part of a lease, as the server expects it. */
export interface ReturnedLease {
  readonly keyId: string;
  readonly leaseId: string;
  readonly unused: number;
}

export interface GrantedLease {
  readonly id: string;
  /** Decreases by one with every admitted request. */
  left: number;
  /** On the monotonic clock; never later than the real end of the window. */
  readonly endsAt: number;
  /** The server's state when it granted the lease. */
  readonly state: RateLimitState;
}

/** A lease is at most 1/20 of the limit, so that no process holds much unused quota. */
const PART_OF_LIMIT = 20;
/** The most that the server grants. Only a key used 10,000 times a second comes near it. */
const AMOUNT_MAX = 10_000;
/**
 * If a lease lasts less than this, the next one is sized to last this long, but grows at most
 * eightfold.
 */
const SHORT_MS = 500;
const GROWTH_MAX = 8;
/** If a lease lasts longer than this, the next one is half as large. */
const LONG_MS = 5_000;
const AHEAD_FROM = 4;
/** How long a refusal is cached: other processes may return quota to the server. */
const REFUSED_MS = 100;

/**
 * The requests that this process may admit for one key. Empty → requested → granted, until it is used
 * up or the window ends. The next lease is requested when a quarter is left, so that callers do not wait.
 */
export class Lease {
  readonly #amountMax: number;
  #granted: GrantedLease[] = [];
  #amount = 1;
  #grantedAt = Number.NEGATIVE_INFINITY;
  #refusedUntil = Number.NEGATIVE_INFINITY;
  #refusedState: RateLimitState | null = null;
  usedAt = 0;
  isRequesting = false;

  constructor(limit: number) {
    this.#amountMax = Math.min(AMOUNT_MAX, Math.max(1, Math.floor(limit / PART_OF_LIMIT)));
  }

  /** The amount to request. */
  wanted(): number {
    return this.#amount;
  }

  left(now: number): number {
    let sum = 0;
    for (const { left, endsAt } of this.#granted) if (now < endsAt) sum += left;
    return sum;
  }

  /** Takes one request from the lease; null if none is left. */
  take(now: number): RateLimitState | null {
    for (let lease = this.#granted[0]; lease !== undefined; lease = this.#granted[0]) {
      if (now >= lease.endsAt || lease.left === 0) {
        this.#granted.shift();
        continue;
      }
      lease.left--;
      this.usedAt = now;
      return stateOf(lease.state, this.left(now), lease.endsAt - now);
    }
    return null;
  }

  /** Small leases are requested only when they are needed, since their keys are rarely used. */
  isLow(now: number): boolean {
    return this.#amount >= AHEAD_FROM && this.left(now) <= this.#amount / 4;
  }

  /** The server's recent refusal; null if a lease should be requested. */
  refusal(now: number): RateLimitState | null {
    return now < this.#refusedUntil ? this.#refusedState : null;
  }

  grant(lease: GrantedLease, now: number): void {
    const lasted = Math.max(now - this.#grantedAt, SHORT_MS / GROWTH_MAX);
    if (lasted < SHORT_MS)
      this.#amount = Math.min(this.#amountMax, Math.ceil((this.#amount * SHORT_MS) / lasted));
    else if (lasted > LONG_MS) this.#amount = Math.max(1, Math.floor(this.#amount / 2));
    this.#grantedAt = now;
    this.#refusedUntil = Number.NEGATIVE_INFINITY;
    this.#granted.push(lease);
  }

  refuse(state: RateLimitState | null, now: number): void {
    this.#refusedState = state;
    this.#refusedUntil = state === null ? now : now + REFUSED_MS;
  }

  /** Empties the lease and returns its unused part. */
  release(keyId: string, now: number): ReturnedLease[] {
    const granted = this.#granted;
    this.#granted = [];
    return granted
      .filter(({ left, endsAt }) => left > 0 && now < endsAt)
      .map(({ id, left }) => ({ keyId, leaseId: id, unused: left }));
  }
}

/** The state for the caller: what the server had left at the grant, plus what is left here. */
function stateOf(state: RateLimitState, left: number, resetMs: number): RateLimitState {
  const remaining = Math.min(state.limit, state.remaining + left);
  return {
    limit: state.limit,
    remaining,
    consumed: state.limit - remaining,
    reset: state.reset,
    retryAfterSeconds: resetMs / 1000,
  };
}
