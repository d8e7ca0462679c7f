/** A part of a limit or of credits that the server has leased to this process. */
export interface LeaseGrant {
  readonly id: string;
  /** The key that it was requested for. */
  readonly keyId: string;
  readonly amount: number;
  left: number;
  /** On the monotonic clock; never later than the real end. */
  readonly endsAt: number;
}

/** How much to request, and how much of it is needed at once. */
export interface Wanted {
  readonly amount: number;
  readonly needed: number;
}

/** The most that the server grants. Only a key that is used about 20,000 times a second needs it. */
export const AMOUNT_MAX = 10_000;
/**
 * If a lease lasts less than this, the next one is sized to last this long, but grows at most
 * eightfold.
 */
const SHORT_MS = 500;
const GROWTH_MAX = 8;
/** If a lease lasts longer than this, the next one is half as large. */
const LONG_MS = 5_000;
/** Smaller leases are renewed only when they are used up. */
const RENEWED_EARLY_MIN = 4;
/** How long a refusal is cached. Not longer, because other processes may return leases to the server. */
const REFUSED_MS = 100;

/**
 * What this process may spend of one counter or pool without a request. Empty → requested → granted,
 * until it is used up or the grant ends. More is requested when a quarter is left, so that callers do
 * not wait.
 */
export class LeasedAmount {
  readonly #amountMax: number;
  readonly #onEnded: (grant: LeaseGrant) => void;
  #grants: LeaseGrant[] = [];
  #amount = 1;
  #grantedAt = Number.NEGATIVE_INFINITY;
  /** The amount that the server has just refused. */
  #refused = 0;
  #refusedUntil = Number.NEGATIVE_INFINITY;
  usedAt = 0;
  /** The lease request in progress; null if there is none. */
  renewal: Promise<unknown> | null = null;

  /** `onEnded`: a grant is used up, or its time is over. */
  constructor(amountMax: number, onEnded: (grant: LeaseGrant) => void = () => {}) {
    this.#amountMax = amountMax;
    this.#onEnded = onEnded;
  }

  left(now: number): number {
    let sum = 0;
    for (const { left, endsAt } of this.#grants) if (now < endsAt) sum += left;
    return sum;
  }

  /** Only call this if that much is left. */
  take(amount: number, now: number): void {
    this.usedAt = now;
    for (let rest = amount; rest > 0; ) {
      const first = this.#grants[0]!;
      if (now < first.endsAt) {
        const part = Math.min(rest, first.left);
        first.left -= part;
        rest -= part;
        if (first.left > 0) continue;
      }
      this.#grants.shift();
      this.#onEnded(first);
    }
  }

  /** Small leases are requested only when they are needed, since their keys are rarely used. */
  isLow(now: number): boolean {
    if (this.#amount < RENEWED_EARLY_MIN || now < this.#refusedUntil) return false;
    return this.left(now) <= this.#amount / 4;
  }

  /**
   * What to request so that this cost can be taken. With a cost of 0: only if the lease will soon be used up.
   */
  wanted(cost: number, now: number): Wanted {
    const needed = Math.max(0, cost - this.left(now));
    if (needed === 0 && !this.isLow(now)) return { amount: 0, needed: 0 };
    return { amount: Math.max(this.#amount, needed), needed };
  }

  /** The server has recently refused what this cost needs. */
  isRefused(cost: number, now: number): boolean {
    return now < this.#refusedUntil && cost - this.left(now) >= this.#refused;
  }

  refuse(needed: number, now: number): void {
    this.#refused = Math.max(1, needed);
    this.#refusedUntil = now + REFUSED_MS;
  }

  /** Adds what the server granted of the wanted amount, which may be nothing. */
  grant(grant: LeaseGrant, wanted: Wanted, now: number): void {
    if (grant.left < wanted.needed || grant.left === 0) this.refuse(wanted.needed, now);
    else this.#refusedUntil = Number.NEGATIVE_INFINITY;
    if (grant.left === 0) return;
    this.#resize(grant.left, now);
    this.#grantedAt = now;
    this.usedAt = Math.max(this.usedAt, now);
    this.#grants.push(grant);
  }

  /** When the first grant ends. */
  get endsAt(): number {
    return this.#grants.reduce((end, grant) => Math.min(end, grant.endsAt), Infinity);
  }

  /** Gives up everything that is left. */
  release(): LeaseGrant[] {
    const grants = this.#grants;
    this.#grants = [];
    return grants;
  }

  #resize(amount: number, now: number): void {
    const lasted = Math.max(now - this.#grantedAt, SHORT_MS / GROWTH_MAX);
    let next = amount;
    if (lasted < SHORT_MS) next = Math.ceil((amount * SHORT_MS) / lasted);
    else if (lasted > LONG_MS) next = Math.max(1, Math.floor(amount / 2));
    this.#amount = Math.min(this.#amountMax, next);
  }
}
