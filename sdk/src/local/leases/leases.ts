import type { LeasedKey } from '../../generated/api-types.ts';
import type { Refused } from '../../validation/outcome.ts';
import { CreditLease } from './credit-lease.ts';
import type { LeaseReturns } from './lease-returns.ts';
import type { LeaseGrant, Wanted } from './leased-amount.ts';
import { LimitLease } from './limit-lease.ts';
import { type QuotaLimit, Quotas, type WantedLeases } from './quotas.ts';

type LeasedLimit = NonNullable<LeasedKey['limits']>[number];

/** Credits that are not returned count as spent, so they are returned this long before their end. */
const RETURN_AHEAD_MS = 5_000;

/**
 * All leases of this process: one for each limit of a counter and one for each pool, shared by the keys
 * that use it. A lease is kept while a cached key uses it. What it holds is returned when it is idle.
 */
export class Leases {
  readonly #returns: LeaseReturns;
  readonly #limits = new Map<string, LimitLease>();
  readonly #credits = new Map<string, CreditLease>();
  /** Leases that hold an amount, or held one when they were last checked. */
  readonly #held = new Set<LimitLease | CreditLease>();
  #serverOffset = 0;

  constructor(returns: LeaseReturns) {
    this.#returns = returns;
  }

  /** The leases of a key; null if it has neither limits nor credits. Close them when the key is dropped. */
  open({ limits = [], credits }: LeasedKey): Quotas | null {
    if (limits.length === 0 && credits === undefined) return null;
    const quotas = new Quotas(
      limits.map((each) => this.#openLimit(each)),
      credits === undefined ? null : this.#openCredits(credits.pool),
      () => this.#serverOffset,
    );
    for (const { lease } of quotas.limits) lease.holders++;
    if (quotas.credits !== null) quotas.credits.holders++;
    return quotas;
  }

  close({ limits, credits }: Quotas): void {
    for (const { lease } of limits) {
      if (--lease.holders > 0) continue;
      this.#limits.delete(nameOf(lease.counter, lease.limit, lease.isSliding));
      this.#release(lease);
    }
    if (credits === null || --credits.holders > 0) return;
    this.#credits.delete(credits.pool);
    this.#release(credits);
  }

  /** Adds what the server granted. A grant that no cached key can use is returned. */
  grant(body: LeasedKey, wanted: WantedLeases, requestedAt: number, now: number): void {
    if (body.now !== undefined) this.#serverOffset = body.now - requestedAt;
    const keyId = body.record.id;
    for (const each of body.limits ?? []) {
      if (each.lease === null) continue;
      const { id, granted: amount, consumed, resetInMs } = each.lease;
      const endsAt = requestedAt + resetInMs;
      const grant = { id, keyId, amount, left: amount, endsAt };
      const lease = this.#limits.get(
        nameOf(each.counter, each.limit, each.algorithm === 'sliding'),
      );
      if (lease === undefined) {
        this.#returns.addLimit(each.counter, grant, now);
        continue;
      }
      const window = { consumed, resetAt: body.now! + resetInMs, endsAt };
      const asked = wanted.limits.find(({ name }) => name === each.name);
      lease.grant(grant, asked ?? { amount, needed: 0 }, window, now);
      if (amount > 0) this.#held.add(lease);
    }
    this.#grantCredits(body, wanted.credits ?? { amount: 0, needed: 0 }, requestedAt, now);
  }

  /** Caches a refusal of the server for a moment. */
  refuse(quotas: Quotas, refusal: Refused, wanted: WantedLeases, now: number): void {
    const { rateLimits, rateLimit, credits } = refusal;
    if (refusal.code === 'credits_exhausted' && credits && wanted.credits)
      quotas.credits?.refuse(wanted.credits.needed, credits, now);
    if (refusal.code !== 'rate_limited') return;
    for (const [n, { lease, limit }] of quotas.limits.entries()) {
      const state = rateLimits?.[n] ?? rateLimit;
      if (state === null) continue;
      const resetAt = state.reset * 1000;
      const consumed = limit - state.remaining;
      lease.learn({ consumed, resetAt, endsAt: resetAt - this.#serverOffset });
      const isExceeded = !('exceeded' in state) || state.exceeded;
      if (isExceeded) lease.leased.refuse(wanted.limits[n]!.needed, now);
    }
  }

  /** Returns what was not used since `idleSince`. */
  returnIdle(idleSince: number, now: number): void {
    for (const lease of this.#held) {
      const { leased } = lease;
      const isEnding = lease instanceof CreditLease && leased.endsAt - now < RETURN_AHEAD_MS;
      if (leased.usedAt < idleSince || isEnding) this.#release(lease);
    }
  }

  #openLimit(each: LeasedLimit): QuotaLimit {
    const { name, counter, limit, rateLimitTtl, algorithm, mode } = each;
    const isSliding = algorithm === 'sliding';
    const id = nameOf(counter, limit, isSliding);
    const lease = this.#limits.get(id) ?? new LimitLease(counter, limit, isSliding);
    this.#limits.set(id, lease);
    return { name, limit, ttlMs: rateLimitTtl * 1000, isEnforced: mode === 'enforce', lease };
  }

  #openCredits(pool: string): CreditLease {
    const known = this.#credits.get(pool);
    if (known !== undefined) return known;
    const lease: CreditLease = new CreditLease(pool, (grant) =>
      this.#returns.addCredits(lease, grant),
    );
    this.#credits.set(pool, lease);
    return lease;
  }

  #grantCredits(body: LeasedKey, wanted: Wanted, requestedAt: number, now: number): void {
    if (body.credits === undefined) return;
    const { pool, remaining, nextRefillAt, lease: granted } = body.credits;
    const grant: LeaseGrant | null = granted && {
      id: granted.id,
      keyId: body.record.id,
      amount: granted.granted,
      left: granted.granted,
      endsAt: requestedAt + granted.endsInMs,
    };
    const lease = this.#credits.get(pool);
    if (lease === undefined) {
      if (grant !== null) this.#returns.addCredits(new CreditLease(pool, () => {}), grant);
      return;
    }
    lease.grant(grant, wanted, { remaining, nextRefillAt }, now);
    if (grant !== null) this.#held.add(lease);
  }

  #release(lease: LimitLease | CreditLease): void {
    this.#held.delete(lease);
    const now = performance.now();
    for (const grant of lease.leased.release())
      if (lease instanceof CreditLease) this.#returns.addCredits(lease, grant);
      else this.#returns.addLimit(lease.counter, grant, now);
  }
}

/** Two keys may have different limits on the same counter. They cannot share a lease. */
const nameOf = (counter: string, limit: number, isSliding: boolean): string =>
  `${counter} ${limit}${isSliding ? ' sliding' : ''}`;
