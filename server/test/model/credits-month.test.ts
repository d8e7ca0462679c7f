// 5 s of CPU: a month of validations on two nodes.
import { balanceOf } from '@keyward/rules/credits/pool.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MemoryCounters } from '../../src/cluster/counters/memory.ts';
import type { ChangeCredits, CreditsInput, PoolOwner } from '../../src/features/credits/index.ts';
import { poolAt } from '../../src/features/credits/record.ts';
import { readPool } from '../../src/features/credits/store.ts';
import { figure, scaled, timeoutMs } from '../harness/scale.ts';
import { runSeed, SeededRandom } from '../harness/seeded-random.ts';
import { type PolicyNode, PolicyWorld } from './policies-world.ts';

/** Clocks change in New York on 10 March, in Berlin on 31 March, and on Lord Howe Island on 7 April. */
const START = Date.UTC(2030, 2, 8);
const DAYS = 31;
/** All refills happen at multiples of this time. */
const STEP_MS = 1_800_000;
const STEPS = (DAYS * 86_400_000) / STEP_MS;
const ROUNDS_PER_STEP = scaled(4, 1);

let world: PolicyWorld;
beforeAll(async () => {
  const counters = [new MemoryCounters(), new MemoryCounters()];
  world = await PolicyWorld.open({ startAt: START, counters });
});
afterAll(() => world.close());

/** What the test expects of one pool. */
interface ExpectedPool {
  readonly owner: PoolOwner;
  /** Id of the customer, or of the newest key of the rotation group. */
  id: string;
  /** Values of the keys that the pool pays for. */
  readonly values: string[];
  /** What the next refill gives. */
  refillAmount: number;
  nextRefillAt: number | null;
  /** Credits of this interval: the refill, and what was added or removed since. */
  given: number;
  granted: number;
  /** A millisecond before the last refill. */
  left: number;
}

const totals = { granted: 0, refilled: 0, added: 0, forfeited: 0, refills: 0, refused: 0 };
const random = new SeededRandom(runSeed());

const ownerOf = (ownerType: PoolOwner['ownerType'], owner: string): PoolOwner => {
  const { principal } = world.nodes[0]!.actor as { principal: { accountId: string } };
  return { accountId: principal.accountId, projectId: world.projectId, ownerType, owner };
};

const limits = [{ name: 'burst', rateLimit: 40, rateLimitTtl: 60, per: 'customer' } as const];

/** A customer with two keys, one of them with a limit that refuses some of the requests. */
async function openCustomer(
  customAccountId: string,
  { credits, planId }: { credits?: CreditsInput; planId?: string },
): Promise<ExpectedPool> {
  const { customers, apiKeys, actor } = world.nodes[0]!;
  const { id } = await customers.create(actor, {
    customAccountId,
    ...(credits && { credits }),
    ...(planId && { planId }),
  });
  const values: string[] = [];
  for (const settings of [{}, { limits }]) {
    const key = await apiKeys.create(actor, { name: 'Key', customAccountId, ...settings });
    values.push(key.key);
  }
  const given = credits?.remaining ?? 0;
  totals.added += given;
  const refillAmount = credits?.refill?.amount ?? 0;
  const owner = ownerOf('customer', customAccountId);
  return { owner, id, values, refillAmount, nextRefillAt: null, given, granted: 0, left: 0 };
}

const balance = async ({ owner }: ExpectedPool): Promise<number> => {
  const pool = await readPool(world.storage.point, owner, world.now);
  return pool === null ? 0 : balanceOf(poolAt(pool, world.now));
};

async function validateSome(pool: ExpectedPool, node: PolicyNode): Promise<void> {
  const costs = Array.from({ length: 1 + random.below(8) }, () => random.below(6));
  const values = costs.map(() => random.pick(pool.values));
  const results = await Promise.all(costs.map((cost, n) => node.validate(values[n]!, cost)));
  for (const [n, { kind, credits }] of results.entries()) {
    expect(credits!.nextRefillAt).toBe(pool.nextRefillAt);
    if (kind === 'valid') pool.granted += costs[n]!;
    else totals.refused++;
  }
}

/** Adds or sets credits, and records the difference. */
async function topUp(pool: ExpectedPool, node: PolicyNode): Promise<void> {
  const change: ChangeCredits = random.chance(0.3)
    ? { set: random.below(150) }
    : { add: random.below(100) - 25 };
  const before = (await balance(pool)) - node.ledger.unstored(pool.owner).amount;
  const { actor, apiKeys, customers } = node;
  if (pool.owner.ownerType === 'key') await apiKeys.changeCredits(actor, pool.id, change);
  else await customers.changeCredits(actor, { id: pool.id }, change);
  const added = (await balance(pool)) - before;
  if (change.add !== undefined && change.add >= 0) expect(added).toBe(change.add);
  pool.given += added;
  totals.added += added;
}

/** Checks, a millisecond before the refill, that exactly the credits that were not granted are left. */
async function checkBeforeRefill(pool: ExpectedPool): Promise<void> {
  const left = await balance(pool);
  expect(left, pool.owner.owner).toBe(pool.given - pool.granted);
  totals.granted += pool.granted;
  pool.left = left;
}

async function shown({ owner, id }: ExpectedPool) {
  const { customers, keyReader, actor } = random.pick(world.nodes);
  const { credits } =
    owner.ownerType === 'key'
      ? await keyReader.get(actor.principal, id)
      : await customers.get(actor.principal, { id });
  const { remaining, nextRefillAt } = credits!;
  return { remaining, nextRefillAt: nextRefillAt === null ? null : Date.parse(nextRefillAt) };
}

/** Checks that the refill has replaced the last one, and kept what was added. Begins a new interval. */
async function checkAfterRefill(pool: ExpectedPool): Promise<void> {
  const { remaining, nextRefillAt } = await shown(pool);
  const kept = remaining - pool.refillAmount;
  expect(kept, pool.owner.owner).toBeGreaterThanOrEqual(0);
  expect(kept, pool.owner.owner).toBeLessThanOrEqual(pool.left);
  totals.forfeited += pool.left - kept;
  expect(nextRefillAt).toBeGreaterThan(world.now);
  Object.assign(pool, { given: remaining, granted: 0, nextRefillAt });
  totals.refilled += pool.refillAmount;
  totals.refills++;
}

async function rotate(pool: ExpectedPool): Promise<void> {
  const { apiKeys, actor } = random.pick(world.nodes);
  const key = await apiKeys.rotate(actor, pool.id, DAYS * 86_400);
  pool.values.push(key.key);
  if (pool.values.length > 2) pool.values.shift();
  pool.id = key.id;
}

it('over a month of validations on two nodes, credits granted and left add up to those given', {
  timeout: timeoutMs,
}, async () => {
  const { plans, apiKeys, actor } = world.nodes[0]!;
  const plan = await plans.create(actor, {
    name: 'Monthly',
    credits: { amount: 300, interval: 'month' },
  });
  const refill = (
    amount: number,
    interval: 'hour' | 'day' | 'week' | 'month',
    timezone: string,
  ) => ({
    credits: { remaining: amount, refill: { amount, interval, timezone } },
  });
  const ofPlan = await openCustomer('on a plan', { planId: plan.id });
  ofPlan.refillAmount = 300;
  const all = [
    await openCustomer('in Berlin', refill(120, 'day', 'Europe/Berlin')),
    await openCustomer('in New York', refill(15, 'hour', 'America/New_York')),
    await openCustomer('on Lord Howe Island', refill(400, 'week', 'Australia/Lord_Howe')),
    await openCustomer('prepaid', { credits: { remaining: 500 } }),
    ofPlan,
  ];
  const credits = { remaining: 90, refill: { amount: 90, interval: 'month' as const } };
  const key = await apiKeys.create(actor, { name: 'Alone', credits });
  const ofKey: ExpectedPool = {
    ...{ owner: ownerOf('key', key.id), id: key.id, values: [key.key], refillAmount: 90 },
    ...{ nextRefillAt: null, given: 90, granted: 0, left: 0 },
  };
  totals.added += 90;
  all.push(ofKey);
  // The first use opens the pool of the plan.
  await world.nodes[1]!.validate(ofPlan.values[0]!, 0);
  Object.assign(ofPlan, { given: 300 });
  totals.added += 300;
  for (const pool of all) pool.nextRefillAt = (await shown(pool)).nextRefillAt;

  for (let step = 1; step <= STEPS; step++) {
    for (let n = 0; n < ROUNDS_PER_STEP; n++) {
      const [pool, node] = [random.pick(all), random.pick(world.nodes)];
      if (random.chance(0.1)) await topUp(pool, node);
      await Promise.all([validateSome(pool, node), validateSome(pool, random.pick(world.nodes))]);
      world.now += 125 * random.below(20);
      if (random.chance(0.5)) await world.flush();
    }
    if (random.chance(0.02)) await rotate(ofKey);
    if (random.chance(0.02)) await random.pick(world.nodes).ledger.stop();
    if (step === STEPS / 2) {
      ofPlan.refillAmount = 250;
      await plans.update(actor, plan.id, { credits: { amount: 250, interval: 'month' } });
    }
    const next = START + step * STEP_MS;
    const due = all.filter(({ nextRefillAt }) => nextRefillAt === next);
    await world.flush();
    world.now = next - 1;
    await world.flush();
    for (const pool of due) await checkBeforeRefill(pool);
    world.now = next;
    for (const pool of due) await checkAfterRefill(pool);
  }
  await world.flush();
  let left = 0;
  for (const pool of all) {
    const rest = await balance(pool);
    expect(rest, pool.owner.owner).toBe(pool.given - pool.granted);
    totals.granted += pool.granted;
    left += rest;
  }
  const { granted, added, refilled, forfeited } = totals;
  expect(granted).toBe(added + refilled - forfeited - left);
  expect(totals.refills).toBeGreaterThan(24 * DAYS);
  expect(granted).toBeGreaterThan(0);
  console.log(
    `a month of sales: ${figure(granted)} granted = ${figure(added)} added + ${figure(refilled)} in ${figure(totals.refills)} refills − ${figure(forfeited)} forfeited − ${figure(left)} left; ${figure(totals.refused)} requests refused`,
  );
});
