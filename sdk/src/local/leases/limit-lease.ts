import type { LimitCount } from '@keyward/rules/limit-set.ts';
import { AMOUNT_MAX, LeasedAmount, type LeaseGrant, type Wanted } from './leased-amount.ts';

/**
 * A lease is at most 1/20 of the limit, unless one request needs more, so that no process holds much unused
 * quota.
 */
const LEASE_DIVISOR = 20;

/** The state of a window, as the server reported it. */
export interface WindowState {
  /** Includes what was leased. */
  readonly consumed: number;
  /** UTC epoch milliseconds of the server. */
  readonly resetAt: number;
  /** The same on the monotonic clock. */
  readonly endsAt: number;
}

/** The requests that this process may admit under one limit, and what it knows about its window. */
export class LimitLease {
  readonly counter: string;
  readonly limit: number;
  readonly isSliding: boolean;
  readonly leased: LeasedAmount;
  /** Number of cached keys that have this limit. */
  holders = 0;
  #window: WindowState | null = null;

  constructor(counter: string, limit: number, isSliding: boolean) {
    this.counter = counter;
    this.limit = limit;
    this.isSliding = isSliding;
    this.leased = new LeasedAmount(
      Math.min(AMOUNT_MAX, Math.max(1, Math.floor(limit / LEASE_DIVISOR))),
    );
  }

  grant(grant: LeaseGrant, wanted: Wanted, window: WindowState, now: number): void {
    this.#window = window;
    this.leased.grant(grant, wanted, now);
  }

  /** Stores the state that the server reported when it refused a request. */
  learn(window: WindowState): void {
    this.#window = window;
  }

  /** Whether the current window is known. Other processes may have used more of it since. */
  isKnown(now: number): boolean {
    return this.#window !== null && now < this.#window.endsAt;
  }

  /**
   * The count of the server minus what is left of the lease. `now + offset` is the time on the clock of the
   * server.
   */
  count(cost: number, isExceeded: boolean, now: number, offset: number): LimitCount {
    const { consumed, resetAt } = this.#window ?? { consumed: 0, resetAt: now + offset };
    const used = Math.max(0, consumed - this.leased.left(now));
    // In a sliding window, `resetAt` is when the same cost fits.
    const fits = this.isSliding && !isExceeded && used + Math.max(1, cost) <= this.limit;
    return { consumed: used, resetAt: fits ? now + offset : resetAt, isExceeded };
  }
}
