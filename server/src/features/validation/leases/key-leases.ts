import { type Conditions, NO_CONDITIONS } from '@keyward/rules/check-key.ts';
import { amountOf, REQUESTS } from '@keyward/rules/cost.ts';
import { matchesResource } from '@keyward/rules/request-resource.ts';
import type { ChangeFeed } from '../../../cluster/change-bus/change-bus.ts';
import type { CounterLimit, Counters, LeaseResult } from '../../../cluster/counters/counters.ts';
import type { MakeId } from '../../../kernel/ids.ts';
import type { Clock } from '../../../kernel/time/clock.ts';
import type { CountedUse } from '../../analytics/index.ts';
import type { CreditLease, CreditLedger, Reservation } from '../../credits/index.ts';
import type { PreparedKey } from '../prepared-key.ts';
import type { Validator } from '../validator.ts';
import { type Caller, refusalOf, type Verdict } from '../verdict.ts';
import { costNeverFits, isAllowed, limitCosts } from '../wire/limit-report.ts';

/**
 * How much a client wants of a counter or pool, and how much it needs. If less is left than it needs, it gets
 * nothing.
 */
export interface Wanted {
  readonly amount: number;
  readonly needed: number;
}

/** What a client that validates in its own memory asks for. */
export interface WantedLeases {
  /** Whether the client knows permissions, addresses, `limits` and credits. */
  readonly policies: boolean;
  /** Whether it knows limits by unit, by resource and by the calendar. */
  readonly accounting: boolean;
  /** The request that needs the leases; its cost is 0 if they are only for later requests. */
  readonly use: CountedUse;
  /** `needed`: what the request takes from the limit. */
  readonly limit: (name: string, needed: number) => Wanted;
  readonly credits: Wanted;
}

interface LimitOfKey {
  readonly name: string;
  readonly limit: CounterLimit;
  readonly unit: string;
  /** Patterns of the requests that it applies to; null: all. */
  readonly patterns: readonly string[] | null;
}

export interface LeasedLimit extends LimitOfKey {
  /** Null if the client wants none. */
  readonly lease: (LeaseResult & { readonly id: string }) | null;
}

export type LeaseVerdict =
  | {
      readonly kind: 'leased';
      readonly key: PreparedKey;
      readonly limits: readonly LeasedLimit[];
      /** Null for a key without credits, or if the client wants none. `id` identifies the lease. */
      readonly credits: (CreditLease & { readonly id: string }) | null;
      /** The verdict reflects every change made longer ago than this. */
      readonly behindMs: number;
    }
  /** The client must ask the server for every validation of this key. */
  | { readonly kind: 'unleased'; readonly key: PreparedKey }
  | Exclude<Verdict, { kind: 'valid' }>;

interface Parts {
  readonly validator: Validator;
  readonly counters: Counters;
  readonly credits: CreditLedger;
  readonly bus: ChangeFeed;
  readonly clock: Clock;
  readonly ids: MakeId;
}

/**
 * Leases keys, with parts of their limits and credits, to processes that validate in their own memory
 * and report their uses later. So neither a valid result nor an exceeded limit is counted as a use here.
 */
export class KeyLeases {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Credits are reserved before limits are taken, as in a validation. */
  async lease(
    caller: Caller,
    value: string,
    conditions: Conditions,
    wanted: WantedLeases,
  ): Promise<LeaseVerdict> {
    const { validator, bus, clock } = this.#parts;
    const found = await validator.find(caller, value);
    const foundAt = clock();
    const { behindMs } = bus;
    const refusal = refusalOf(caller, found, conditions, foundAt);
    // The client checks the address. The check after it, of permissions, is left to the client too.
    if (refusal !== null && refusal !== 'ip_denied')
      return validator.refuse(caller, found, refusal, conditions, foundAt);
    const key = found as PreparedKey;
    if ((key.hasPolicies && !wanted.policies) || (key.needsAccounting && !wanted.accounting))
      return { kind: 'unleased', key };
    const wantsCredits = key.credits !== null && wanted.credits.amount > 0;
    const credits = wantsCredits ? await this.#leaseCredits(key, wanted.credits) : null;
    // The pool was deleted meanwhile.
    if (wantsCredits && credits === null) return { kind: 'unleased', key };
    if (credits !== null && credits.granted < wanted.credits.needed)
      return this.#refused(key, reservationOf(credits, false), wanted.use);
    // Not `foundAt`: the counters would mistake an old time for a clock that was set back.
    const now = clock();
    const limits = await this.#leaseLimits(key, wanted, now);
    if (!limits.some((each) => isShort(each, wanted))) {
      for (const [n, { lease }] of limits.entries())
        if (lease !== null) validator.notices.checkThreshold(key, n, lease, now);
      return { kind: 'leased', key, limits, credits, behindMs };
    }
    await this.#giveBack(key, limits, credits, now);
    return this.#refused(key, credits && reservationOf(credits, true), wanted.use);
  }

  /**
   * What a client needs to validate a key itself, without leases. Counts a use for no key. Keys with credits are not
   * described, because their first request must lease credits anyway.
   */
  async describe(caller: Caller, value: string, accounting: boolean): Promise<LeaseVerdict> {
    const { validator, bus, clock } = this.#parts;
    const found = await validator.find(caller, value);
    const now = clock();
    const { behindMs } = bus;
    const refusal = refusalOf(caller, found, NO_CONDITIONS, now);
    if (typeof found === 'string')
      return validator.refuse(caller, found, refusal!, NO_CONDITIONS, now);
    // The client checks the domain, the address and the permissions.
    if (refusal !== null && refusal !== 'domain_denied' && refusal !== 'ip_denied')
      return { kind: 'refused', code: refusal };
    if (found.credits !== null || (found.needsAccounting && !accounting))
      return { kind: 'unleased', key: found };
    const limits = limitsOf(found).map((each) => ({ ...each, lease: null }));
    return { kind: 'leased', key: found, limits, credits: null, behindMs };
  }

  async #leaseCredits(key: PreparedKey, { amount: wanted, needed }: Wanted) {
    const { credits, ids, validator, clock } = this.#parts;
    const id = ids('lse');
    const leased = await credits.lease(key.credits!, { id, wanted, needed });
    if (leased !== null) validator.notices.checkCredits(key, clock());
    return leased && { ...leased, id };
  }

  #leaseLimits(
    key: PreparedKey,
    wanted: WantedLeases,
    now: number,
  ): Promise<readonly LeasedLimit[]> {
    // All at once, so that the commands are sent to Redis in one packet.
    return Promise.all(
      limitsOf(key).map(async (each) => {
        const { name, limit } = each;
        const { amount } = wanted.limit(name, neededOf(each, wanted.use));
        if (amount === 0) return { ...each, lease: null };
        const id = this.#parts.ids('lse');
        const leased = await this.#parts.counters.lease({ ...limit, id, amount }, now);
        return { ...each, lease: { ...leased, id } };
      }),
    );
  }

  async #giveBack(
    { credits: pool }: PreparedKey,
    limits: readonly LeasedLimit[],
    credits: Extract<LeaseVerdict, { kind: 'leased' }>['credits'],
    now: number,
  ): Promise<void> {
    const { counters, credits: ledger } = this.#parts;
    const returned: unknown[] = limits.map(
      ({ limit, lease }) =>
        lease !== null && counters.giveBack(lease.id, limit.counter, lease.granted, now),
    );
    if (credits !== null) returned.push(ledger.endLease(pool!, credits.id, credits.granted));
    await Promise.all(returned);
  }

  /** The refusal that a validation would return; `unleased` if a validation would succeed by now. */
  async #refused(
    key: PreparedKey,
    credits: Reservation | null,
    use: CountedUse,
  ): Promise<LeaseVerdict> {
    const { validator, clock } = this.#parts;
    const now = clock();
    const taken = await validator.wouldTake(key, use, now);
    const limited = key.limitedFor(use.resource);
    validator.notices.checkThresholds(limited, taken, now);
    if (!isAllowed(taken)) {
      const neverFits = costNeverFits(limited, limitCosts(limited, use.cost));
      return { kind: 'limited', neverFits, key: limited, taken, credits };
    }
    if (credits !== null && !credits.isGranted)
      return { kind: 'exhausted', key: limited, taken, credits };
    return { kind: 'unleased', key };
  }
}

const limitsOf = ({
  limits,
  limitNames,
  limitUnits,
  limitPatterns,
}: PreparedKey): readonly LimitOfKey[] =>
  (limits?.limits ?? []).map((limit, n) => ({
    name: limitNames[n]!,
    limit,
    unit: limitUnits?.[n] ?? REQUESTS,
    patterns: limitPatterns?.[n] ?? null,
  }));

/** What a request takes from a limit. */
const neededOf = ({ unit, patterns }: LimitOfKey, { cost, resource }: CountedUse): number =>
  patterns === null || matchesResource(patterns, resource) ? amountOf(cost, unit) : 0;

const isShort = (each: LeasedLimit, wanted: WantedLeases): boolean => {
  const { name, limit, lease } = each;
  const { needed } = wanted.limit(name, neededOf(each, wanted.use));
  return limit.isEnforced && lease !== null && lease.granted < needed;
};

const reservationOf = (
  { remaining, nextRefillAt }: CreditLease,
  isGranted: boolean,
): Reservation => ({ isGranted, remaining, nextRefillAt });
