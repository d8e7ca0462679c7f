import { AMOUNT_MAX, LeasedAmount, type LeaseGrant, type Wanted } from './leased-amount.ts';

/** The state of a pool, as the server reported it. */
export interface PoolState {
  /** Credits left, including those that this process holds. */
  readonly remaining: number;
  readonly nextRefillAt: string | null;
}

/** The credits that this process may spend from one pool. */
export class CreditLease {
  readonly pool: string;
  readonly leased: LeasedAmount;
  /** Number of cached keys that take credits from this pool. */
  holders = 0;
  #state: PoolState = { remaining: 0, nextRefillAt: null };
  /** Spent here and not yet reported to the server. */
  #unreported = 0;

  /** `onEnded`: a grant is used up, or its time is over; its use was not reported yet. */
  constructor(pool: string, onEnded: (grant: LeaseGrant) => void) {
    this.pool = pool;
    this.leased = new LeasedAmount(AMOUNT_MAX, onEnded);
  }

  take(cost: number, now: number): void {
    this.leased.take(cost, now);
    this.#unreported += cost;
  }

  /** `grant`: null if the server leased nothing. */
  grant(grant: LeaseGrant | null, wanted: Wanted, state: PoolState, now: number): void {
    this.#learn(state);
    if (grant !== null) this.leased.grant(grant, wanted, now);
    else if (wanted.amount > 0) this.leased.refuse(wanted.needed, now);
  }

  refuse(needed: number, state: PoolState, now: number): void {
    this.#learn(state);
    this.leased.refuse(needed, now);
  }

  /** The use of a grant was reported to the server. */
  reported({ amount: granted, left }: LeaseGrant): void {
    const amount = granted - left;
    this.#unreported = Math.max(0, this.#unreported - amount);
    const { remaining } = this.#state;
    this.#state = { ...this.#state, remaining: Math.max(0, remaining - amount) };
  }

  /** Whether leased credits are left, so that `state` is recent. Other processes may have spent more since. */
  isKnown(now: number): boolean {
    return this.leased.left(now) > 0;
  }

  get state(): PoolState {
    const { remaining, nextRefillAt } = this.#state;
    return { remaining: Math.max(0, remaining - this.#unreported), nextRefillAt };
  }

  /** After a refill, earlier use no longer counts. */
  #learn(state: PoolState): void {
    if (state.nextRefillAt !== this.#state.nextRefillAt) this.#unreported = 0;
    this.#state = state;
  }
}
