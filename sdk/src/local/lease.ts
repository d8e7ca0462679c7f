import type { RateLimitState } from '../generated/api-types.ts';

/** One that is given back, as the server wants it. */
export interface ReturnedLease {
  readonly keyId: string;
  readonly leaseId: string;
  readonly unused: number;
}

export interface GrantedLease {
  readonly id: string;
  readonly granted: number;
  /** On the monotonic clock: not later than the window's true end. */
  readonly endsAt: number;
  /** As the server had it when it granted this. */
  readonly state: RateLimitState;
}

/** No more than this part of a limit at once, so that little lies idle in any one process. */
const PART_OF_LIMIT = 20;
const AMOUNT_MAX = 1_000;
/** A lease that lasts shorter than this is followed by one twice its size, and one that lasts long by half. */
const SHORT_MS = 500;
const LONG_MS = 5_000;
const AHEAD_FROM = 4;
/** How long a refusal stands before the server is asked again: others may have given back. */
const REFUSED_MS = 100;

/**
 * The requests that this process may admit for one key. Empty → asked for → held, down to nothing or
 * to the end of the window. The next is asked for when a quarter is left, so that nobody waits.
 */
export class Lease {
  readonly #limit: number;
  #held: GrantedLease[] = [];
  #amount = 1;
  #takenAt = 0;
  #refusedUntil = Number.NEGATIVE_INFINITY;
  #refusedState: RateLimitState | null = null;
  usedAt = 0;
  isAsking = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** How many to ask for. */
  wanted(): number {
    return Math.min(this.#amount, Math.max(1, Math.floor(this.#limit / PART_OF_LIMIT)));
  }

  left(now: number): number {
    return this.#held.reduce((sum, { granted, endsAt }) => (now < endsAt ? sum + granted : sum), 0);
  }

  /** Takes one. Null: there is none. */
  take(now: number): RateLimitState | null {
    for (let lease = this.#held[0]; lease !== undefined; lease = this.#held[0]) {
      if (now >= lease.endsAt || lease.granted === 0) {
        this.#held.shift();
        continue;
      }
      this.#held[0] = { ...lease, granted: lease.granted - 1 };
      this.usedAt = now;
      return stateOf(lease.state, this.left(now), lease.endsAt - now);
    }
    return null;
  }

  /** Small leases are asked for when they are needed: their keys are used now and then. */
  get isLow(): boolean {
    if (this.#amount < AHEAD_FROM) return false;
    return this.#held.reduce((sum, { granted }) => sum + granted, 0) <= this.#amount / 4;
  }

  /** Why it need not be asked for just now; null when it should be. */
  refusal(now: number): RateLimitState | null {
    return now < this.#refusedUntil ? this.#refusedState : null;
  }

  grant(lease: GrantedLease, now: number): void {
    const lasted = now - this.#takenAt;
    if (lasted < SHORT_MS) this.#amount = Math.min(AMOUNT_MAX, this.#amount * 2);
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
      .filter(({ granted, endsAt }) => granted > 0 && now < endsAt)
      .map(({ id, granted }) => ({ keyId, leaseId: id, unused: granted }));
  }
}

/** What a caller may be told: this process knows what it has, and what the server had. */
function stateOf(state: RateLimitState, left: number, resetMs: number): RateLimitState {
  const remaining = Math.min(state.limit, state.remaining + left);
  return {
    ...state,
    remaining,
    consumed: state.limit - remaining,
    retryAfterSeconds: resetMs / 1000,
  };
}
