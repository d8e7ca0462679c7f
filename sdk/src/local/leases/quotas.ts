import { hasNamedLimits } from '@keyward/rules/default-limit.ts';
import {
  indexOfRefusingLimit,
  indexOfTooSmallLimit,
  type LimitCounts,
} from '@keyward/rules/limit-set.ts';
import type { CreditLease, PoolState } from './credit-lease.ts';
import type { LeasedAmount, Wanted } from './leased-amount.ts';
import type { LimitLease } from './limit-lease.ts';

/** A limit of a key. */
export interface QuotaLimit {
  /** `default` is the limit in `rateLimitConfigs`. */
  readonly name: string;
  readonly limit: number;
  readonly ttlMs: number;
  readonly isEnforced: boolean;
  readonly lease: LimitLease;
}

/** What the limits and credits of a key decided about a request. */
export interface QuotaResult {
  readonly outcome: 'valid' | 'rate_limited' | 'credits_exhausted';
  /** The cost is larger than a limit allows in a whole window. */
  readonly neverFits: boolean;
  /** Null for a key without limits. */
  readonly counts: LimitCounts | null;
  /** Null for a key without credits. */
  readonly credits: PoolState | null;
  /** The time on the clock of the server, in UTC epoch milliseconds. */
  readonly time: number;
}

/** What to request from the server for the limits and credits of a key. */
export interface WantedLeases {
  readonly limits: readonly ({ readonly name: string } & Wanted)[];
  readonly credits?: Wanted;
}

/** The leases of the limits and credits of a key. Other keys may share them. */
export class Quotas {
  readonly limits: readonly QuotaLimit[];
  readonly credits: CreditLease | null;
  /** Whether the key has `limits`, and not only `rateLimitConfigs`. */
  readonly hasNamedLimits: boolean;
  readonly #serverOffset: () => number;

  /** `serverOffset`: clock of the server minus monotonic clock. */
  constructor(
    limits: readonly QuotaLimit[],
    credits: CreditLease | null,
    serverOffset: () => number,
  ) {
    this.limits = limits;
    this.credits = credits;
    this.hasNamedLimits = hasNamedLimits(limits.map(({ name }) => name));
    this.#serverOffset = serverOffset;
  }

  /**
   * Takes the cost from all leases, or from none. Null: the server must decide. After the server has refused
   * a request, requests that need at least as much are refused here for a moment. A limit that refuses is
   * reported before missing credits.
   */
  take(cost: number, now: number): QuotaResult | null {
    let isLimited = false;
    let needsServer = cost === 0 && !this.#isKnown(now);
    for (const { isEnforced, lease } of this.limits) {
      const state = stateOf(lease.leased, cost, now);
      if (state === 'unknown') needsServer = true;
      else if (state === 'refused' && isEnforced) isLimited = true;
    }
    const paid = this.credits === null ? 'covered' : stateOf(this.credits.leased, cost, now);
    if (isLimited) return this.#result('rate_limited', cost, now);
    if (paid === 'refused') return this.#result('credits_exhausted', cost, now);
    if (needsServer || paid === 'unknown') return null;
    return this.#takeAll(cost, now);
  }

  /**
   * What to request so that this cost can be taken. With a cost of 0: only leases that will soon be used up.
   */
  wanted(cost: number, now: number): WantedLeases {
    const { limits, credits } = this;
    return {
      limits: limits.map(({ name, lease }) => ({ name, ...lease.leased.wanted(cost, now) })),
      ...(credits && { credits: credits.leased.wanted(cost, now) }),
    };
  }

  /** The leases that should be renewed before they are used up. */
  low(now: number): LeasedAmount[] {
    const low: LeasedAmount[] = [];
    for (const { lease } of this.limits) if (isDue(lease.leased, now)) low.push(lease.leased);
    if (this.credits !== null && isDue(this.credits.leased, now)) low.push(this.credits.leased);
    return low;
  }

  /** The lease request in progress that may grant what is missing for this cost; null if there is none. */
  renewal(cost: number, now: number): Promise<unknown> | null {
    const all = this.limits.map(({ lease }) => lease.leased);
    if (this.credits !== null) all.push(this.credits.leased);
    return all.find((each) => each.renewal !== null && each.left(now) < cost)?.renewal ?? null;
  }

  #isKnown(now: number): boolean {
    const { limits, credits } = this;
    return limits.every(({ lease }) => lease.isKnown(now)) && (credits?.isKnown(now) ?? true);
  }

  #takeAll(cost: number, now: number): QuotaResult {
    const exceeded = this.limits.map(({ lease }) => lease.leased.left(now) < cost);
    if (cost > 0) {
      for (const [n, { lease }] of this.limits.entries())
        if (!exceeded[n]) lease.leased.take(cost, now);
      this.credits?.take(cost, now);
    }
    return this.#result('valid', cost, now, exceeded);
  }

  #result(
    outcome: QuotaResult['outcome'],
    cost: number,
    now: number,
    exceeded = this.limits.map(({ lease }) => lease.leased.isRefused(cost, now)),
  ): QuotaResult {
    const offset = this.#serverOffset();
    const { limits } = this;
    const credits = this.credits?.state ?? null;
    const time = now + offset;
    const neverFits = indexOfTooSmallLimit(limits, cost) >= 0;
    if (limits.length === 0) return { outcome, neverFits, counts: null, credits, time };
    const states = limits.map(({ lease }, n) => lease.count(cost, exceeded[n]!, now, offset));
    const refusedBy = outcome === 'rate_limited' ? indexOfRefusingLimit(limits, states, cost) : -1;
    return { outcome, neverFits, counts: { refusedBy, states }, credits, time };
  }
}

const isDue = (leased: LeasedAmount, now: number): boolean =>
  leased.renewal === null && leased.isLow(now);

function stateOf(
  leased: LeasedAmount,
  cost: number,
  now: number,
): 'covered' | 'refused' | 'unknown' {
  if (leased.left(now) >= cost) return 'covered';
  return leased.isRefused(cost, now) ? 'refused' : 'unknown';
}
