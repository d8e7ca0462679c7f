import type { RateLimitState } from '../generated/api-types.ts';

/** One that is given back, as the server wants it. */
export interface ReturnedLease {
  readonly keyId: string;
  readonly leaseId: string;
  readonly unused: number;
}

export interface GrantedLease {
  readonly id: string;
  /** Less by one with every request that is admitted. */
  left: number;
  /** On the monotonic clock: not later than the window's true end. */
  readonly endsAt: number;
  /** As the server had it when it granted this. */
  readonly state: RateLimitState;
}

/** No more than this part of a limit at once, so that little lies idle in any one process. */
const PART_OF_LIMIT = 20;
/** What the server grants at most. Only a key used 10,000 times a second comes near it. */
const AMOUNT_MAX = 10_000;
/** One that lasts shorter than this is followed by one that would have lasted so long, if it grows no faster than this. */
const SHORT_MS = 500;
const GROWTH_MAX = 8;
/** One that lasts longer than this is followed by half as much. */
const LONG_MS = 5_000;
const AHEAD_FROM = 4;
/** How long a refusal stands before the server is asked again: others may have given back. */
const REFUSED_MS = 100;

/**
 * The requests that this process may admit for one key. Empty → asked for → held, down to nothing or
 * to the end of the window. The next is asked for when a quarter is left, so that nobody waits.
 */
export class Lease {
  readonly #amountMax: number;
  #held: GrantedLease[] = [];
  #amount = 1;
  #takenAt = Number.NEGATIVE_INFINITY;
  #refusedUntil = Number.NEGATIVE_INFINITY;
  #refusedState: RateLimitState | null = null;
  usedAt = 0;
  isAsking = false;

  constructor(limit: number) {
    this.#amountMax = Math.min(AMOUNT_MAX, Math.max(1, Math.floor(limit / PART_OF_LIMIT)));
  }

  /** How many to ask for. */
  wanted(): number {
    return this.#amount;
  }

  left(now: number): number {
    let sum = 0;
    for (const { left, endsAt } of this.#held) if (now < endsAt) sum += left;
    return sum;
  }

  /** Takes one. Null: there is none. */
  take(now: number): RateLimitState | null {
    for (let lease = this.#held[0]; lease !== undefined; lease = this.#held[0]) {
      if (now >= lease.endsAt || lease.left === 0) {
        this.#held.shift();
        continue;
      }
      lease.left--;
      this.usedAt = now;
      return stateOf(lease.state, this.left(now), lease.endsAt - now);
    }
    return null;
  }

  /** Small leases are asked for when they are needed: their keys are used now and then. */
  isLow(now: number): boolean {
    return this.#amount >= AHEAD_FROM && this.left(now) <= this.#amount / 4;
  }

  /** Why it need not be asked for just now; null when it should be. */
  refusal(now: number): RateLimitState | null {
    return now < this.#refusedUntil ? this.#refusedState : null;
  }

  grant(lease: GrantedLease, now: number): void {
    const lasted = Math.max(now - this.#takenAt, SHORT_MS / GROWTH_MAX);
    if (lasted < SHORT_MS)
      this.#amount = Math.min(this.#amountMax, Math.ceil((this.#amount * SHORT_MS) / lasted));
    else if (lasted > LONG_MS) this.#amount = Math.max(1, Math.floor(this.#amount / 2));
    this.#takenAt = now;
    this.#refusedUntil = Number.NEGATIVE_INFINITY;
    this.#held.push(lease);
  }

  refuse(state: RateLimitState | null, now: number): void {
    this.#refusedState = state;
    this.#refusedUntil = state === null ? now : now + REFUSED_MS;
  }

  /** Everything that is not used, to be given back. */
  giveUp(keyId: string, now: number): ReturnedLease[] {
    const held = this.#held;
    this.#held = [];
    return held
      .filter(({ left, endsAt }) => left > 0 && now < endsAt)
      .map(({ id, left }) => ({ keyId, leaseId: id, unused: left }));
  }
}

/** What a caller may be told: this process knows what it has, and what the server had. */
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
