/// <reference lib="esnext.temporal" />
import { type Cost, readCost } from '@keyward/rules/cost.ts';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Counters } from '../../src/cluster/counters/counters.ts';
import type { Credits } from '../../src/features/credits/index.ts';
import { quickBudget, scaled } from '../harness/scale.ts';
import {
  type CreditsSetting,
  CUSTOMERS,
  PLANS,
  type PolicyCommand,
  policyCommands,
} from './policies-commands.ts';
import {
  type ModelKey,
  type ModelPool,
  type ModelRequest,
  PoliciesModel,
  setBalance,
  TOKENS,
} from './policies-model.ts';

import { type PolicyNode, PolicyWorld } from './policies-world.ts';

const START = Date.UTC(2030, 0, 1);
const RUNS = scaled(600, 60);
const RUNS_AT_LEAST = 10;
const GRACE_SECONDS = 10 * 86_400;
const HOUR_MS = 3_600_000;

type Of<K extends PolicyCommand['kind']> = Extract<PolicyCommand, { kind: K }>;

/** Runs each command on the services and on the model, and compares the results. */
class ComparedPolicies {
  readonly #world: PolicyWorld;
  readonly #node: PolicyNode;
  readonly #projectId: string;
  readonly #model = new PoliciesModel();
  readonly #plans: string[] = [];
  readonly #values = new Map<string, string>();
  readonly #customerIds = new Map<string, string>();

  private constructor(world: PolicyWorld, projectId: string) {
    this.#world = world;
    this.#node = world.nodes[0]!;
    this.#projectId = projectId;
  }

  static async begin(world: PolicyWorld): Promise<ComparedPolicies> {
    const { projects, plans, actor } = world.nodes[0]!;
    const { id: projectId } = await projects.create(actor, { name: 'Modelled', units: [TOKENS] });
    const compared = new ComparedPolicies(world, projectId);
    for (let n = 0; n < PLANS; n++) {
      const { id } = await plans.create(actor, { name: `Plan ${n}`, projectId });
      compared.#plans.push(id);
      compared.#model.plans.set(id, { limits: [], credits: null });
    }
    return compared;
  }

  get #now(): number {
    return this.#world.now;
  }

  #planId = (plan: number | null): string | null => (plan === null ? null : this.#plans[plan]!);

  async run(command: PolicyCommand): Promise<void> {
    const isUse = ['validate', 'read', 'wait', 'top up'].includes(command.kind);
    if (!isUse) await this.#touchPools();
    await this.#run(command);
    // It takes a node some seconds to notice that the plan of such a pool has got refills. After a stop, it
    // reads the pool again.
    if (!isUse && this.#model.hasPoolWithoutRefills()) await this.#node.ledger.stop();
  }

  /**
   * If a pool gets refills, they begin with the interval after the last change of the plan, the pool or its
   * owner. The model uses the last change of anything instead. So all pools without refills are marked as
   * changed here.
   */
  async #touchPools(): Promise<void> {
    const updated_at = this.#now;
    this.#model.changedAt = updated_at;
    await this.#world.storage.transaction((tx) =>
      tx
        .updateTable('credit_pools')
        .set({ updated_at })
        .where('next_refill_at', 'is', null)
        .execute(),
    );
  }

  async #run(command: PolicyCommand): Promise<void> {
    switch (command.kind) {
      case 'create key':
        return this.#createKey(command);
      case 'update key':
        return this.#updateKey(command);
      case 'rotate':
        return this.#rotate(command);
      case 'customer':
        return this.#setCustomer(command);
      case 'delete customer':
        return this.#deleteCustomer(CUSTOMERS[command.customer]!);
      case 'plan':
        return this.#setPlan(command);
      case 'default plan':
        return this.#setDefaultPlan(this.#planId(command.plan));
      case 'top up':
        return this.#topUp(command);
      case 'validate':
        for (let n = 0; n < command.times; n++) await this.#validate(command);
        return;
      case 'read':
        return this.#read();
      case 'wait':
        // As the timer does: what was spent is stored before the clock moves.
        await this.#world.flush();
        this.#world.now += command.ms;
        await this.#world.flush();
    }
  }

  /** Picks a key that is still valid. */
  #pick(index: number): [id: string, key: ModelKey] | undefined {
    const usable = [...this.#model.keys].filter(([, { expiresAt }]) => expiresAt > this.#now);
    return usable.at(-1 - (index % usable.length));
  }

  async #createKey({
    plan,
    customer,
    limits,
    rateLimitConfigs,
    credits,
  }: Of<'create key'>): Promise<void> {
    const { apiKeys, actor } = this.#node;
    const [planId, customAccountId] = [this.#planId(plan), customerOf(customer)];
    const made = await apiKeys.create(actor, {
      ...{ name: 'Key', projectId: this.#projectId, planId, customAccountId },
      ...{ limits: [...limits], rateLimitConfigs, credits },
    });
    const expiresAt = Number.POSITIVE_INFINITY;
    const key = {
      group: made.id,
      customer: customAccountId,
      plan: planId,
      limits,
      rateLimitConfigs,
    };
    this.#model.keys.set(made.id, { ...key, expiresAt });
    this.#values.set(made.id, made.key);
    if (credits !== null) this.#newPool(made.id, credits);
  }

  async #updateKey({ key: index, settings, field }: Of<'update key'>): Promise<void> {
    const [id, key] = this.#pick(index) ?? [];
    if (id === undefined || key === undefined) return;
    // If rotated keys have different plans, one may learn late of a pool that the plan of another opens.
    const rotated = [...this.#model.keys.values()].filter(({ group }) => group === key.group);
    if (rotated.length > 1 && (field === 'plan' || field === 'customer')) return;
    const planId = this.#planId(settings.plan);
    const customAccountId = customerOf(settings.customer);
    const fields = {
      plan: { planId },
      customer: { customAccountId },
      limits: { limits: [...settings.limits] },
      rateLimitConfigs: { rateLimitConfigs: settings.rateLimitConfigs },
      credits: { credits: settings.credits },
    };
    await this.#node.apiKeys.update(this.#node.actor, id, { name: 'Key', ...fields[field] });
    if (field === 'plan') key.plan = planId;
    else if (field === 'customer') key.customer = customAccountId;
    else if (field === 'limits') key.limits = settings.limits;
    else if (field === 'rateLimitConfigs') key.rateLimitConfigs = settings.rateLimitConfigs;
    else this.#setCredits(key.group, settings.credits);
  }

  async #rotate({ key: index }: Of<'rotate'>): Promise<void> {
    const [id, key] = this.#pick(index) ?? [];
    if (id === undefined || key === undefined) return;
    const { apiKeys, actor } = this.#node;
    const made = await apiKeys.rotate(actor, id, GRACE_SECONDS);
    this.#model.keys.set(made.id, { ...key });
    this.#values.set(made.id, made.key);
    key.expiresAt = Math.min(key.expiresAt, this.#now + GRACE_SECONDS * 1000);
  }

  async #setCustomer({ customer, plan, limits, credits }: Of<'customer'>): Promise<void> {
    const { customers, actor } = this.#node;
    const customAccountId = CUSTOMERS[customer]!;
    const planId = this.#planId(plan);
    const fields = { planId, limits: [...limits], ...(credits !== undefined && { credits }) };
    const id = this.#customerIds.get(customAccountId);
    if (id === undefined) {
      const name = { customAccountId, projectId: this.#projectId };
      const made = await customers.create(actor, { ...name, ...fields });
      this.#customerIds.set(customAccountId, made.id);
    } else await customers.update(actor, { id }, fields);
    this.#model.customers.set(customAccountId, { plan: planId, limits });
    // A new customer without credits keeps the pool that a plan has opened.
    if (credits === undefined || (id === undefined && credits === null)) return;
    this.#setCredits(customAccountId, credits);
  }

  async #deleteCustomer(customAccountId: string): Promise<void> {
    const id = this.#customerIds.get(customAccountId);
    if (id === undefined) return;
    await this.#node.customers.delete(this.#node.actor, { id });
    this.#customerIds.delete(customAccountId);
    this.#model.customers.delete(customAccountId);
    this.#model.pools.delete(customAccountId);
  }

  async #setPlan({ plan, limits, credits }: Of<'plan'>): Promise<void> {
    const { plans, actor } = this.#node;
    await plans.update(actor, this.#plans[plan]!, { limits: [...limits], credits });
    Object.assign(this.#model.plans.get(this.#plans[plan]!)!, { limits, credits });
  }

  async #setDefaultPlan(defaultPlanId: string | null): Promise<void> {
    const { projects, actor } = this.#node;
    await projects.update(actor, this.#projectId, { defaultPlanId });
    this.#model.defaultPlan = defaultPlanId;
  }

  async #topUp({ key: index, customer, change }: Of<'top up'>): Promise<void> {
    const { apiKeys, customers, actor } = this.#node;
    const [keyId, key] = index === null ? [] : (this.#pick(index) ?? []);
    const customAccountId = CUSTOMERS[customer]!;
    const id = keyId ?? this.#customerIds.get(customAccountId);
    if (id === undefined) return;
    const { taken: _, ...after } = keyId
      ? await apiKeys.changeCredits(actor, id, change)
      : await customers.changeCredits(actor, { id }, change);
    const owner = key?.group ?? customAccountId;
    const pool =
      this.#model.settle(owner, this.#now) ??
      this.#model.openByPlan(owner, this.#now) ??
      this.#newPool(owner, NOTHING);
    setBalance(pool, 'set' in change ? change.set : Math.max(0, pool.balance + change.add));
    expectPool(after, pool);
  }

  #newPool(owner: string, { remaining, refill }: CreditsSetting): ModelPool {
    const pool = this.#model.newPool(remaining, refill, this.#now);
    this.#model.pools.set(owner, pool);
    return pool;
  }

  /** Like `credits` in a PATCH. */
  #setCredits(owner: string, credits: CreditsSetting | null): void {
    const pool = this.#model.settle(owner, this.#now);
    if (credits === null) this.#model.pools.delete(owner);
    else {
      const made = this.#newPool(owner, credits);
      if (pool === null) return;
      setBalance(pool, credits.remaining);
      Object.assign(made, { balance: pool.balance, expiring: pool.expiring });
      // If the settings are unchanged, the next refill keeps its time.
      if (JSON.stringify(pool.refill) === JSON.stringify(credits.refill))
        made.nextRefillAt = pool.nextRefillAt;
      else if (credits.refill === null) made.expiring = 0;
    }
  }

  async #validate({ key: index, ...request }: Of<'validate'>): Promise<void> {
    const [id, key] = this.#pick(index) ?? [];
    if (id === undefined || key === undefined) return;
    const expected = this.#model.validate(key, request, this.#now);
    const {
      kind,
      taken,
      credits,
      key: found,
    } = await this.#node.validate(this.#values.get(id)!, costOf(request), request.resource);
    const shown = credits && { remaining: credits.remaining, nextRefillAt: credits.nextRefillAt };
    const { names, ...limits } = expected.limits;
    expect({ kind, credits: shown }).toEqual({ kind: expected.kind, credits: expected.credits });
    expect(found?.limitNames ?? []).toEqual(names);
    expect(taken).toEqual(names.length === 0 ? null : limits);
  }

  /** Compares what GET shows. */
  async #read(): Promise<void> {
    const { keyReader, customers, actor } = this.#node;
    for (const [id, { group }] of this.#model.keys)
      expectPool((await keyReader.get(actor.principal, id)).credits, this.#settled(group));
    for (const [owner, id] of this.#customerIds)
      expectPool((await customers.get(actor.principal, { id })).credits, this.#settled(owner));
  }

  #settled = (owner: string): ModelPool | null => this.#model.settled(owner, this.#now);
}

const NOTHING: CreditsSetting = { remaining: 0, refill: null };

const costOf = ({ cost, tokens }: ModelRequest): Cost =>
  tokens === null ? cost : readCost({ requests: cost, credits: cost, [TOKENS]: tokens });

const customerOf = (customer: number | null): string | null =>
  customer === null ? null : CUSTOMERS[customer]!;

const timeOf = (ms: number | null): string | null =>
  ms === null ? null : new Date(ms).toISOString();

function expectPool(credits: Credits | null, pool: ModelPool | null): void {
  const nextRefillAt = pool?.nextRefillAt ?? null;
  const expected = pool && {
    ...{ remaining: pool.balance, held: 0, overdrawn: 0 },
    refill: pool.refill,
    nextRefillAt: timeOf(nextRefillAt),
    nextExpiry:
      nextRefillAt === null || pool.expiring === 0
        ? null
        : { amount: pool.expiring, at: timeOf(nextRefillAt) },
  };
  expect(credits).toEqual(expected);
}

/**
 * Runs random sequences of keys, customers, plans, limits, credits, rotations and pauses, around
 * daylight-saving changes. Every validation must be decided and reported as in the model.
 */
export async function checkPolicies(counters: Counters, runs = RUNS): Promise<void> {
  const world = await PolicyWorld.open({ startAt: START, counters: [counters] });
  let done = 0;
  let validations = 0;
  const mayStop = quickBudget(Math.min(runs, RUNS_AT_LEAST));
  const runSequence = async (zone: string, commands: readonly PolicyCommand[]) => {
    const local = Temporal.Instant.fromEpochMilliseconds(world.now).toZonedDateTimeISO(zone);
    const changed = local.getTimeZoneTransition('next')!;
    world.now = Math.max(world.now, changed.epochMilliseconds - HOUR_MS);
    const compared = await ComparedPolicies.begin(world);
    for (const command of commands) await compared.run(command);
    validations += commands.filter(({ kind }) => kind === 'validate').length;
    done++;
  };
  const property = fc.asyncProperty(policyCommands, async ({ zone, commands }) => {
    if (!mayStop(done)) await runSequence(zone, commands);
  });
  try {
    await fc.assert(property, { numRuns: runs });
  } finally {
    await world.close();
  }
  console.log(`policies: ${done} sequences, ${validations} validations match the model`);
}
