import {
  type Calendar,
  periodAt,
  type Interval as RefillInterval,
} from '@keyward/rules/calendar.ts';
import type { TakeAllResult } from '../../src/cluster/counters/counters.ts';
import { LimitsModel } from '../contract/limits-model.ts';

/** The unit that the project of the model declares. */
export const TOKENS = 'tokens';

export interface ModelLimit {
  readonly name: string;
  readonly rateLimit: number;
  readonly rateLimitTtl?: number;
  /** In place of `rateLimitTtl`. */
  readonly interval?: 'day' | 'week' | 'month';
  readonly timezone?: string;
  readonly unit?: typeof TOKENS;
  readonly for?: string[];
  readonly per: 'key' | 'customer';
  readonly algorithm: 'fixed' | 'sliding';
  readonly mode: 'enforce' | 'shadow';
}

/** What a request costs, and what it is about. */
export interface ModelRequest {
  /** In requests and in credits. */
  readonly cost: number;
  /** Null: not said. */
  readonly tokens: number | null;
  /** Null: not said. */
  readonly resource: string | null;
}

export interface ModelRefill {
  readonly amount: number;
  readonly interval: RefillInterval;
  readonly timezone: string;
}

export interface ModelPlan {
  limits: readonly ModelLimit[];
  credits: { readonly amount: number; readonly interval: RefillInterval | null } | null;
}

export interface ModelKey {
  /** Shared by keys that were rotated. */
  readonly group: string;
  customer: string | null;
  plan: string | null;
  limits: readonly ModelLimit[];
  rateLimitConfigs: { readonly rateLimit: number; readonly rateLimitTtl: number } | null;
  expiresAt: number;
}

export interface ModelPool {
  balance: number;
  /** The part of the balance that expires with the next refill. */
  expiring: number;
  refill: ModelRefill | null;
  nextRefillAt: number | null;
  readonly openedAt: number;
  /** The plan that sets its refills. */
  plan: string | null;
}

export interface Expected {
  readonly kind: 'valid' | 'limited' | 'exhausted';
  readonly limits: TakeAllResult & { readonly names: readonly string[] };
  readonly credits: { readonly remaining: number; readonly nextRefillAt: number | null } | null;
}

/** Levels, limits and credits in their simplest form: no cache, no blocks, no storage. */
export class PoliciesModel {
  readonly plans = new Map<string, ModelPlan>();
  readonly customers = new Map<string, { plan: string | null; limits: readonly ModelLimit[] }>();
  readonly keys = new Map<string, ModelKey>();
  /** By owner: the group of keys, or a customer. */
  readonly pools = new Map<string, ModelPool>();
  defaultPlan: string | null = null;
  /** When a setting was last changed. */
  changedAt = 0;
  /** By counter, of limits with an interval. */
  readonly #calendars = new Map<string, Calendar>();
  readonly #windows = new LimitsModel(this.#calendars);

  validate(key: ModelKey, request: ModelRequest, now: number): Expected {
    const { cost } = request;
    const pool = this.#payingPool(key, now);
    const isPaid = pool === null || cost <= pool.balance;
    const limits = this.#take(key, request, now, !isPaid);
    const isLimited = limits.refusedBy >= 0;
    if (pool !== null && isPaid && !isLimited) spend(pool, cost);
    return {
      kind: isLimited ? 'limited' : isPaid ? 'valid' : 'exhausted',
      limits,
      credits: pool && { remaining: pool.balance, nextRefillAt: pool.nextRefillAt },
    };
  }

  newPool(balance: number, refill: ModelRefill | null, now: number): ModelPool {
    const expiring = refill === null ? 0 : balance;
    const nextRefillAt = nextOf(refill, now);
    return { balance, expiring, refill, nextRefillAt, openedAt: now, plan: null };
  }

  /** A copy of the pool, after a refill if one is due. */
  settled(owner: string, now: number): ModelPool | null {
    const pool = this.pools.get(owner);
    if (pool === undefined) return null;
    const isDue = pool.nextRefillAt !== null && now >= pool.nextRefillAt;
    const after = { ...pool };
    if (!isDue && (pool.nextRefillAt !== null || pool.plan === null)) return after;
    if (pool.plan !== null) {
      const ofKey = this.#hasKeyWith(owner, pool.plan) ? pool.plan : null;
      const plan = this.#planOfOwner(owner) ?? ofKey ?? this.defaultPlan ?? pool.plan;
      const { credits } = this.plans.get(plan)!;
      if (credits !== null) {
        after.plan = plan;
        after.refill = refillOfPlan(credits);
      }
    }
    // If a plan gave no refills and has refills now, they begin with the interval after the change.
    const first = isDue ? now : nextOf(after.refill, Math.max(this.changedAt, pool.openedAt));
    if (first === null || first > now) return { ...after, nextRefillAt: first };
    if (after.refill !== null) after.balance += after.refill.amount - after.expiring;
    after.expiring = after.refill?.amount ?? 0;
    after.nextRefillAt = nextOf(after.refill, now);
    return after;
  }

  /** Whether there is a pool that a plan has opened, without refills. */
  hasPoolWithoutRefills(): boolean {
    return [...this.pools.values()].some((pool) => pool.plan !== null && pool.refill === null);
  }

  /** Applies a refill that is due. */
  settle(owner: string, now: number): ModelPool | null {
    const pool = this.settled(owner, now);
    if (pool !== null) this.pools.set(owner, pool);
    return pool;
  }

  /** Opens the pool that the plan of an owner gives, if it gives one. */
  openByPlan(owner: string, now: number): ModelPool | null {
    // The plan of a key with a customer opens a pool for the customer.
    if ((this.#newestKey(owner)?.customer ?? null) !== null) return null;
    return this.#open(owner, this.#planOfOwner(owner) ?? this.defaultPlan, now);
  }

  #open(owner: string, plan: string | null, now: number): ModelPool | null {
    const credits = plan === null ? null : this.plans.get(plan)!.credits;
    if (credits === null) return null;
    const opened = { ...this.newPool(credits.amount, refillOfPlan(credits), now), plan };
    this.pools.set(owner, opened);
    // The plan of a key may have opened the pool, but the plan of its customer sets the refills.
    return this.settle(owner, now);
  }

  #newestKey(group: string): ModelKey | undefined {
    return [...this.keys.values()].findLast((key) => key.group === group);
  }

  #planOfOwner(owner: string): string | null {
    return (this.#newestKey(owner) ?? this.customers.get(owner))?.plan ?? null;
  }

  #hasKeyWith(customer: string, plan: string): boolean {
    return [...this.keys.values()].some((key) => key.customer === customer && key.plan === plan);
  }

  #planIdOf(key: ModelKey): string | null {
    const ofCustomer = key.customer === null ? null : this.customers.get(key.customer)?.plan;
    return key.plan ?? ofCustomer ?? this.defaultPlan;
  }

  #planOf(key: ModelKey): ModelPlan | undefined {
    const plan = this.#planIdOf(key);
    return plan === null ? undefined : this.plans.get(plan);
  }

  #payingPool(key: ModelKey, now: number): ModelPool | null {
    const own = this.settle(key.group, now);
    if (own !== null) return own;
    const shared = key.customer === null ? null : this.settle(key.customer, now);
    if (shared !== null) return shared;
    return this.#open(key.customer ?? key.group, this.#planIdOf(key), now);
  }

  #take(key: ModelKey, { cost, tokens, resource }: ModelRequest, now: number, isDry: boolean) {
    const merged = new Map<string, ModelLimit>();
    const ofCustomer = key.customer === null ? undefined : this.customers.get(key.customer);
    for (const limits of [this.#planOf(key)?.limits, ofCustomer?.limits, key.limits])
      for (const limit of limits ?? []) merged.set(limit.name, limit);
    const always = { name: 'default', per: 'key', algorithm: 'fixed', mode: 'enforce' } as const;
    const all: ModelLimit[] = [
      ...(key.rateLimitConfigs === null ? [] : [{ ...always, ...key.rateLimitConfigs }]),
      ...merged.values(),
    ];
    // A key with nothing but `rateLimitConfigs` has a counter that does not depend on its customer.
    const ofCustomers = merged.size === 0 ? '' : (key.customer ?? 'none');
    const applying = all.filter((limit) => appliesTo(limit, resource));
    const limits = applying.map((limit) => {
      const { name, rateLimit, rateLimitTtl = 0, per, algorithm, mode, unit, interval } = limit;
      const owner =
        per === 'customer' && key.customer !== null ? key.customer : `${ofCustomers} ${key.group}`;
      const counter = `${owner} ${name} ${unit} ${interval}`;
      if (interval !== undefined)
        this.#calendars.set(counter, { interval, timezone: limit.timezone ?? 'UTC' });
      return {
        counter,
        limit: rateLimit,
        ttlMs: rateLimitTtl * 1000,
        isSliding: algorithm === 'sliding',
        isEnforced: mode === 'enforce',
      };
    });
    const costs = applying.map(({ unit }) => (unit === undefined ? cost : (tokens ?? 0)));
    const taken = this.#windows.takeAll({ group: '', limits }, costs, now, isDry);
    return { ...taken, names: applying.map(({ name }) => name) };
  }
}

const appliesTo = ({ for: patterns }: ModelLimit, resource: string | null): boolean =>
  patterns === undefined ||
  patterns.some((pattern) =>
    pattern.endsWith('*')
      ? (resource ?? '').startsWith(pattern.slice(0, -1))
      : resource === pattern,
  );

/** What expires is spent first. */
function spend(pool: ModelPool, amount: number): void {
  pool.balance -= amount;
  pool.expiring = Math.max(0, pool.expiring - amount);
}

export function setBalance(pool: ModelPool, balance: number): void {
  if (balance < pool.balance) spend(pool, pool.balance - balance);
  else pool.balance = balance;
}

const refillOfPlan = ({ amount, interval }: NonNullable<ModelPlan['credits']>) =>
  interval === null ? null : { amount, interval, timezone: 'UTC' };

const nextOf = (refill: ModelRefill | null, now: number): number | null =>
  refill && periodAt(now, refill).end;
