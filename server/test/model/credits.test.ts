import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CreditLedger, CreditPool } from '../../src/features/credits/index.ts';
import { scaled } from '../harness/scale.ts';
import { runSeed, SeededRandom } from '../harness/seeded-random.ts';
import { START } from '../harness/test-app.ts';
import { CreditsWorld } from './credits-world.ts';

const HOUR_MS = 3_600_000;
let world: CreditsWorld;

beforeEach(async () => {
  world = await CreditsWorld.open();
});
afterEach(() => world.close());

/** Whether the credits were granted. */
const take = async (node: CreditLedger, pool: CreditPool, cost = 1): Promise<boolean> =>
  (await node.reserve(pool, cost, world.now))!.isGranted;

const granted = async (results: readonly Promise<boolean>[]): Promise<number> =>
  (await Promise.all(results)).filter(Boolean).length;

/** Requests one credit after another until a request is refused. */
async function takeAll(node: CreditLedger, pool: CreditPool): Promise<number> {
  for (let taken = 0; ; taken++) if (!(await take(node, pool))) return taken;
}

describe('one node', () => {
  it('grants exactly what there is to concurrent requests', async () => {
    const node = world.node(null);
    const pool = world.pool('a');
    await world.set(node, pool, { remaining: 1_000 });
    const results = Array.from({ length: 4_000 }, () => take(node, pool));
    expect(await granted(results)).toBe(1_000);
    expect(await world.remaining(node, pool)).toBe(0);
    expect(node.draws).toBe(1);
  });

  it('responds without a promise once it has a block, also to requests that it refuses', async () => {
    const node = world.node(null);
    const pool = world.pool('a');
    await world.set(node, pool, { remaining: 3 });
    await take(node, pool);
    const of = (isGranted: boolean, remaining: number) => ({
      isGranted,
      remaining,
      nextRefillAt: null,
    });
    expect(node.reserve(pool, 0, world.now)).toMatchObject(of(true, 2));
    expect(node.reserve(pool, 2, world.now)).toMatchObject(of(true, 0));
    expect(node.reserve(pool, 1, world.now)).toMatchObject(of(false, 0));
    expect(node.reserve(pool, 0, world.now)).toMatchObject(of(true, 0));
    expect(node.draws).toBe(1);
  });

  it('refuses a cost above what is left, and takes nothing', async () => {
    const node = world.node(null);
    const pool = world.pool('a');
    await world.set(node, pool, { remaining: 5 });
    expect(await take(node, pool, 6)).toBe(false);
    expect(await take(node, pool, 5)).toBe(true);
    expect(await take(node, pool, 0)).toBe(true);
  });

  it('keeps no unused pool in memory, and later finds the pool as it was', async () => {
    const node = world.node(null);
    const pools = Array.from({ length: 700 }, (_, n) => world.pool(`customer ${n}`));
    for (const pool of pools) await world.set(node, pool, { remaining: 10 });
    await Promise.all(pools.map((pool) => take(node, pool)));
    expect(node.size).toBe(700);
    await world.pass(5_000, [node]);
    expect(node.size).toBe(0);
    expect(await world.remaining(node, pools[699]!)).toBe(9);
    expect(await world.storage.read.selectFrom('credit_blocks').selectAll().execute()).toEqual([]);
  });

  it('loses in a crash only what was spent since the last flush, and no added credits', async () => {
    const pool = world.pool('a');
    const before = world.node(null);
    await world.set(before, pool, { remaining: 100 });
    for (let n = 0; n < 7; n++) await take(before, pool);
    await before.flush();
    for (let n = 0; n < 5; n++) await take(before, pool);
    await world.change(before, pool, { add: 10 });
    for (let n = 0; n < 3; n++) await take(before, pool);
    const after = world.node(null);
    // The addition has stored the five before it; the three after it are forgotten.
    expect(await takeAll(after, pool)).toBe(98);
  });

  it('forgets nothing after a stop', async () => {
    const pool = world.pool('a');
    const before = world.node(null);
    await world.set(before, pool, { remaining: 100 });
    for (let n = 0; n < 7; n++) await take(before, pool);
    await before.stop();
    expect(before.size).toBe(0);
    expect(await takeAll(world.node(null), pool)).toBe(93);
  });

  it('puts back what a limit refused, even if the block was returned since, but not after a refill', async () => {
    const node = world.node(null);
    const pool = world.pool('a');
    await world.set(node, pool, { refill: { amount: 10, interval: 'hour' } });
    const reserve = async () => (await node.reserve(pool, 4, world.now))!;
    const first = await reserve();
    node.putBack(pool, 4, first);
    expect(await world.remaining(node, pool)).toBe(10);

    const second = await reserve();
    await world.pass(5_000, [node]);
    expect(await world.remaining(node, pool)).toBe(6);
    node.putBack(pool, 4, second);
    await node.transactionsDone();
    expect(await world.remaining(node, pool)).toBe(10);

    const third = await reserve();
    world.now += HOUR_MS;
    expect(await take(node, pool)).toBe(true);
    node.putBack(pool, 4, third);
    expect(await world.remaining(node, pool)).toBe(9);
  });

  it('puts back what was reserved before the next refill was moved', async () => {
    const node = world.node(null);
    const pool = world.pool('a');
    await world.set(node, pool, { refill: { amount: 10, interval: 'day' } });
    const reserved = (await node.reserve(pool, 4, world.now))!;
    await world.set(node, pool, { refill: { amount: 10, interval: 'hour' } });
    node.putBack(pool, 4, reserved);
    await node.transactionsDone();
    expect(await world.remaining(node, pool)).toBe(10);
  });

  it('deducts unstored use from the balance that it shows, even after a plan has stopped its refills', async () => {
    const node = world.node(null);
    const pool = world.pool('a', await insertPlan({ amount: 200, interval: 'hour' }));
    await take(node, pool, 10);
    await setPlan({ amount: 200, interval: null });
    world.now += HOUR_MS;
    expect(await world.remaining(node, pool)).toBe(190);
  });

  it('refills at the start of the interval, also after months without a request', async () => {
    const node = world.node(null);
    const pool = world.pool('a');
    const refill = { amount: 5, interval: 'month', timezone: 'Europe/Berlin' } as const;
    const { after } = await world.set(node, pool, { refill });
    expect(after).toEqual({
      ...{ remaining: 5, held: 0, overdrawn: 0, refill, nextRefillAt: '2030-01-31T23:00:00.000Z' },
      nextExpiry: { amount: 5, at: '2030-01-31T23:00:00.000Z' },
    });
    expect(await takeAll(node, pool)).toBe(5);
    world.now = Date.parse('2030-01-31T22:59:59.999Z');
    expect(await take(node, pool)).toBe(false);
    world.now += 1;
    expect(await world.remaining(node, pool)).toBe(5);
    expect(await takeAll(node, pool)).toBe(5);
    world.now = Date.parse('2030-06-15T00:00:00.000Z');
    expect(await world.remaining(node, pool)).toBe(5);
    expect(await node.reserve(pool, 1, world.now)).toMatchObject({
      isGranted: true,
      remaining: 4,
      nextRefillAt: Date.parse('2030-06-30T22:00:00.000Z'),
    });
  });

  it('adds, removes and sets, while requests take credits', async () => {
    const node = world.node(null);
    const pool = world.pool('a');
    await world.set(node, pool, { remaining: 10 });
    await take(node, pool, 4);
    const amounts = ({ before, after }: Awaited<ReturnType<typeof world.change>>) => [
      before?.remaining,
      after.remaining,
    ];
    expect(amounts(await world.change(node, pool, { add: 5 }))).toEqual([6, 11]);
    await take(node, pool, 1);
    expect(amounts(await world.change(node, pool, { add: -100 }))).toEqual([10, 0]);
    expect(await take(node, pool)).toBe(false);
    expect(amounts(await world.change(node, pool, { set: 3 }))).toEqual([0, 3]);
    expect(await takeAll(node, pool)).toBe(3);
    const taking = Array.from({ length: 50 }, () => take(node, pool));
    await Promise.all([1, 2, 3, 4].map(() => world.change(node, pool, { add: 10 })));
    const total = (await granted(taking)) + (await takeAll(node, pool));
    expect(total).toBe(40);
  });

  it('opens the pool of a plan at first use, and follows the plan at the next refill', async () => {
    const node = world.node(null);
    const plan = await insertPlan({ amount: 3, interval: 'day' });
    const pool = world.pool('a', plan);
    expect(await takeAll(node, pool)).toBe(3);
    await setPlan({ amount: 8, interval: 'month' });
    expect(await take(node, world.pool('a', { ...plan, amount: 8, interval: 'month' }))).toBe(
      false,
    );
    world.now += 24 * HOUR_MS;
    expect(await world.remaining(node, pool)).toBe(8);
    expect(await takeAll(node, pool)).toBe(8);
    world.now += 24 * HOUR_MS;
    expect(await take(node, pool)).toBe(false);
  });

  it('refills at the next interval when a plan that gave credits only once is given refills', async () => {
    for (const rest of [0, 2]) {
      const node = world.node(null);
      const pool = world.pool(`rest ${rest}`, await insertPlan({ amount: 3, interval: null }));
      await take(node, pool, 3 - rest);
      await setPlan({ amount: 8, interval: 'day' });
      const nextRefillAt = Date.parse('2030-01-02T00:00:00.000Z');
      // The pool stays in use, and is read again from time to time.
      await world.pass(5_000, [node], async () => {
        await node.reserve(pool, rest + 1, world.now);
      });
      expect(await node.reserve(pool, 0, world.now)).toMatchObject({
        isGranted: true,
        remaining: rest,
        nextRefillAt,
      });
      world.now = nextRefillAt;
      // What the plan gave once stays.
      expect(await world.remaining(node, pool)).toBe(8 + rest);
      expect(await takeAll(node, pool)).toBe(8 + rest);
      await node.stop();
      await world.checkStatement(pool);
      world.now = START;
    }
  });

  it('rereads a pool that is in use only after a change that may give it refills', async () => {
    const node = world.node(null);
    const pool = world.pool('a', await insertPlan({ amount: 1_000, interval: null }));
    await take(node, pool);
    const use = () =>
      world.pass(10_000, [node], async () => {
        await take(node, pool, 10);
      });
    await use();
    expect(node.draws).toBe(1);
    await setPlan({ amount: 500, interval: null });
    await use();
    expect(node.draws).toBe(2);
  });

  it('starts the refills that a plan gets later, even for a pool that is not in use', async () => {
    const node = world.node(null);
    const pool = world.pool('a', await insertPlan({ amount: 3, interval: null }));
    expect(await takeAll(node, pool)).toBe(3);
    await world.pass(5_000, [node]);
    expect(node.size).toBe(0);
    world.now += HOUR_MS;
    await setPlan({ amount: 8, interval: 'day' });
    world.now += HOUR_MS;
    expect(await world.remaining(node, pool)).toBe(0);
    world.now += 48 * HOUR_MS;
    expect(await world.remaining(node, pool)).toBe(8);
    expect(await takeAll(node, pool)).toBe(8);
    expect(await node.reserve(pool, 1, world.now)).toMatchObject({
      nextRefillAt: Date.parse('2030-01-04T00:00:00.000Z'),
    });
  });

  it.each([{ set: 20 }, { remaining: 20 }])(
    'does not put back what was reserved before %o, during the change or after it',
    async (change) => {
      const node = world.node(null);
      const pool = world.pool('a');
      await world.set(node, pool, { remaining: 100 });
      const [first, second] = [
        (await node.reserve(pool, 30, world.now))!,
        (await node.reserve(pool, 5, world.now))!,
      ];
      const changing =
        'set' in change ? world.change(node, pool, change) : world.set(node, pool, change);
      node.putBack(pool, 30, first);
      await changing;
      node.putBack(pool, 5, second);
      await node.transactionsDone();
      expect(await world.remaining(node, pool)).toBe(20);
      expect(await takeAll(node, pool)).toBe(20);
    },
  );

  it('does not put back what was reserved before an addition that was followed by a set', async () => {
    const node = world.node(null);
    const pool = world.pool('a');
    await world.set(node, pool, { remaining: 100 });
    const reserved = (await node.reserve(pool, 30, world.now))!;
    await world.change(node, pool, { add: 10 });
    await world.change(node, pool, { set: 20 });
    node.putBack(pool, 30, reserved);
    await node.transactionsDone();
    expect(await world.remaining(node, pool)).toBe(20);
    const later = (await node.reserve(pool, 5, world.now))!;
    node.putBack(pool, 5, later);
    expect(await world.remaining(node, pool)).toBe(20);
  });

  it('grants nothing from a pool that no longer exists', async () => {
    const node = world.node(null);
    const pool = world.pool('a');
    expect(await node.reserve(pool, 1, world.now)).toBeNull();
    await world.set(node, pool, { remaining: 10 });
    await take(node, pool);
    expect(await world.set(node, pool, null)).toMatchObject({ before: { remaining: 9 } });
    expect(await node.reserve(pool, 1, world.now)).toBeNull();
    expect(await world.remaining(node, pool)).toBeNull();
  });
});

interface PlanCredits {
  readonly amount: number;
  readonly interval: 'hour' | 'day' | 'month' | null;
}

async function setPlan(credits: PlanCredits) {
  await world.storage.transaction((tx) =>
    tx
      .updateTable('plans')
      .set({ credits: JSON.stringify(credits), updated_at: world.now })
      .execute(),
  );
  const { accountId, projectId } = world.pool('');
  world.bus.publish([{ kind: 'plan', id: 'pln_1', accountId, projectId }]);
}

async function insertPlan(credits: PlanCredits) {
  const { accountId, projectId } = world.pool('');
  const row = { account_id: accountId, project_id: projectId, name: 'Plan', revision: 1 };
  const times = { created_at: world.now, updated_at: world.now };
  const unset = { permissions: null, limits: null, allowed_ips: null };
  const id = 'pln_1';
  await world.storage.transaction(async (tx) => {
    await tx.deleteFrom('plans').execute();
    await tx
      .insertInto('plans')
      .values({ id, ...row, ...times, ...unset, credits: JSON.stringify(credits) })
      .execute();
  });
  return { id, ...credits };
}

describe('a cluster of several nodes', () => {
  it('grants no more credits than there are, and grants all of them to callers that retry', async () => {
    const nodes = [world.node(3), world.node(3), world.node(3)];
    const pool = world.pool('a');
    await world.set(nodes[0]!, pool, { remaining: 1_000 });
    let total = await granted(Array.from({ length: 4_000 }, (_, n) => take(nodes[n % 3]!, pool)));
    expect(total).toBeLessThanOrEqual(1_000);
    // Only one node is asked from now on: the others return what they hold.
    await world.pass(15_000, nodes, async () => {
      total += await takeAll(nodes[0]!, pool);
    });
    expect(total).toBe(1_000);
  });

  it('extends a block in use, and draws more before it is spent', async () => {
    const nodes = [world.node(2), world.node(2)];
    const pool = world.pool('a');
    await world.set(nodes[0]!, pool, { remaining: 100_000 });
    await take(nodes[0]!, pool);
    let waits = 0;
    await world.pass(20_000, nodes, async () => {
      for (let n = 0; n < 20; n++)
        if (nodes[0]!.reserve(pool, 1, world.now) instanceof Promise) waits++;
      await nodes[0]!.transactionsDone();
    });
    expect(waits).toBe(0);
    expect(await world.remaining(nodes[1]!, pool)).toBeLessThanOrEqual(100_000 - 1_580);
    await world.pass(500, nodes);
    expect(await world.remaining(nodes[1]!, pool)).toBe(100_000 - 1_601);
  });

  it('returns the block of a dead node when the block ends, less what the node stored as spent', async () => {
    const [dead, other] = [world.node(2), world.node(2)];
    const pool = world.pool('a');
    await world.set(dead, pool, { remaining: 50 });
    for (let n = 0; n < 5; n++) await take(dead, pool);
    await dead.flush();
    await take(dead, pool);
    const early = await takeAll(other, pool);
    await world.pass(9_500, [other]);
    expect(early + (await takeAll(other, pool))).toBeLessThan(45);
    await world.pass(2_000, [other]);
    expect(early + (await takeAll(other, pool))).toBe(45);
  });

  it.each([1_000, -1_000])(
    'never grants a credit twice if a clock is %i ms off',
    async (skewMs) => {
      const nodes = [world.node(2), world.node(2, { skewMs })];
      const pool = world.pool('a');
      await world.set(nodes[0]!, pool, { remaining: 400 });
      let total = 0;
      // The second node does not flush while it holds its block, then stores what it has spent.
      await world.pass(15_000, [nodes[0]!], async () => {
        for (let n = 0; n < 3; n++) {
          if (await take(nodes[0]!, pool)) total++;
          if (await take(nodes[1]!, pool)) total++;
        }
      });
      await world.pass(20_000, nodes, async () => {
        total += (await takeAll(nodes[0]!, pool)) + (await takeAll(nodes[1]!, pool));
      });
      expect(total).toBe(400);
    },
  );

  it('ends the blocks of all nodes at the refill', async () => {
    const nodes = [world.node(2), world.node(2)];
    const pool = world.pool('a');
    await world.set(nodes[0]!, pool, { refill: { amount: 60, interval: 'hour' } });
    world.now += HOUR_MS - 3_000;
    for (const node of nodes) await take(node, pool);
    await world.pass(2_750, nodes, async () => {
      for (const node of nodes) expect(await take(node, pool)).toBe(true);
    });
    world.now += 250;
    expect(await world.remaining(nodes[0]!, pool)).toBe(60);
    let total = 0;
    await world.pass(15_000, nodes, async () => {
      for (const node of nodes) total += await takeAll(node, pool);
    });
    expect(total).toBe(60);
  });

  it.each([0, 1_000, -1_000])(
    'grants every credit once when a plan stops its refills, with a clock that is %i ms off',
    async (skewMs) => {
      const nodes = [world.node(2, { skewMs }), world.node(2)];
      const pool = world.pool('a', await insertPlan({ amount: 200, interval: 'hour' }));
      world.now += HOUR_MS - 3_000;
      let total = 0;
      const spend = async (node: CreditLedger, most: number) => {
        for (let n = 0; n < most && (await take(node, pool)); n++) total++;
      };
      for (const node of nodes) await spend(node, 1);
      await setPlan({ amount: 200, interval: null });
      await world.pass(2_750, nodes, async () => {
        for (const node of nodes) await spend(node, 1);
      });
      // Spent in the last moment before the refill, and not stored yet.
      await spend(nodes[1]!, 10);
      world.now += 250;
      await spend(nodes[0]!, 1_000);
      await spend(nodes[1]!, 1_000);
      expect(total).toBeLessThanOrEqual(200);
      await world.pass(15_000, nodes, () => spend(nodes[0]!, 1_000));
      expect(total).toBe(200);
      world.now += 24 * HOUR_MS;
      expect(await world.remaining(nodes[0]!, pool)).toBe(0);
    },
  );

  it('counts use that a slow node stores after a plan has stopped its refills', async () => {
    const [first, slow] = [world.node(2), world.node(2)];
    const pool = world.pool('a', await insertPlan({ amount: 200, interval: 'hour' }));
    world.now += HOUR_MS - 1_000;
    await take(slow, pool, 10);
    await setPlan({ amount: 200, interval: null });
    world.now += 5_000;
    await take(first, pool);
    await world.pass(15_000, [first, slow]);
    expect(await world.balance(pool)).toBe(189);
  });

  it('counts use that a slow node stores after a plan has got refills', async () => {
    const [first, slow] = [world.node(2), world.node(2)];
    const pool = world.pool('a', await insertPlan({ amount: 200, interval: null }));
    await take(slow, pool, 10);
    await setPlan({ amount: 200, interval: 'day' });
    world.now += 11_000;
    await take(first, pool);
    await world.pass(15_000, [first, slow]);
    expect(await world.balance(pool)).toBe(189);
  });

  it('deducts what other nodes hold after a refill that was brought forward', async () => {
    const [first, second] = [world.node(2), world.node(2)];
    const pool = world.pool('a');
    await world.set(first, pool, { refill: { amount: 100, interval: 'month' } });
    world.now += HOUR_MS - 1_000;
    await take(second, pool);
    const { after } = await world.set(first, pool, { refill: { amount: 100, interval: 'hour' } });
    expect(Date.parse(after!.nextRefillAt!) - world.now).toBe(1_000);
    world.now += 1_000;
    expect(await world.remaining(first, pool)).toBe(100);
    let total = await takeAll(first, pool);
    total += await takeAll(second, pool);
    await world.pass(15_000, [first, second], async () => {
      total += (await takeAll(first, pool)) + (await takeAll(second, pool));
    });
    // The credit that was spent before the refill counts as part of its block.
    expect(total).toBe(99);
  });

  it('deducts what other nodes hold after a set, when their blocks return', async () => {
    const [first, second] = [world.node(2), world.node(2)];
    const pool = world.pool('a');
    await world.set(first, pool, { remaining: 100 });
    await take(second, pool, 10);
    await second.flush();
    const { after } = await world.change(first, pool, { set: 20 });
    expect(after.remaining).toBe(20);
    // The second node holds a block of 50, of which it may spend the rest.
    const spent = await takeAll(second, pool);
    expect(spent).toBe(40);
    await world.pass(15_000, [first, second]);
    expect(await world.remaining(first, pool)).toBe(0);
    expect((await world.change(first, pool, { add: 30 })).after.remaining).toBe(10);
    expect(await takeAll(first, pool)).toBe(10);
  });

  it('grants credits that another node has added, although it has just refused', async () => {
    const [first, second] = [world.node(2), world.node(2)];
    const pool = world.pool('a');
    await world.set(first, pool, { remaining: 0 });
    expect(await take(second, pool)).toBe(false);
    expect(second.reserve(pool, 1, world.now)).toMatchObject({ isGranted: false });
    await world.change(first, pool, { add: 1 });
    expect(await take(second, pool)).toBe(true);
  });

  it('drops the block of a pool that another node deleted', async () => {
    const [first, second] = [world.node(2), world.node(2)];
    const pool = world.pool('a');
    await world.set(first, pool, { remaining: 100 });
    await take(second, pool);
    await world.set(first, pool, null);
    await world.pass(1_000, [second]);
    expect(await second.reserve(pool, 1, world.now)).toBeNull();
    expect(second.size).toBe(0);
  });
});

describe('a random history', () => {
  it('agrees with a list of grants, through refills, changes, idle times and restarts of one node', async () => {
    const random = new SeededRandom(runSeed());
    for (let round = 0; round < scaled(60, 6); round++) {
      const pool = world.pool(`customer ${round}`);
      let node = world.node(null);
      const amount = random.below(50);
      const hasRefill = random.chance(0.7);
      const remaining = random.below(50);
      await world.set(node, pool, {
        remaining,
        refill: hasRefill ? { amount, interval: 'hour' } : null,
      });
      const model = new ModelOfGrants(hasRefill ? amount : null, world.now);
      model.add(remaining, hasRefill ? model.nextRefillAt : Infinity);
      for (let step = 0; step < 150; step++) {
        const choice = random.below(22);
        model.bringTo(world.now);
        if (choice < 12) {
          const cost = random.below(6);
          expect(await take(node, pool, cost)).toBe(model.take(cost));
        } else if (choice === 12) {
          const add = random.below(60) - 30;
          const expiresIn = random.chance(0.5) ? 1 + random.below(3 * HOUR_MS) : null;
          const expiresAt = expiresIn === null ? Infinity : world.now + expiresIn;
          const { after, taken } = await world.change(node, pool, {
            ...{ add },
            ...(add > 0 && expiresIn !== null && { expiresAt: new Date(expiresAt).toISOString() }),
          });
          if (add < 0) expect(taken).toBe(model.remove(-add));
          else model.add(add, expiresAt);
          expect(after!.remaining).toBe(model.balance);
        } else if (choice === 13) {
          const set = random.below(40);
          const missing = set - model.balance;
          if (missing > 0) model.add(missing, Infinity);
          else model.remove(-missing);
          await world.change(node, pool, { set });
        } else if (choice === 14) {
          await node.stop();
          node = world.node(null);
        } else if (choice === 15) await node.flush();
        else if (choice === 16) await world.pass(5_000, [node]);
        else if (choice === 17) world.now += random.below(HOUR_MS);
        else if (choice === 18) world.now += random.below(5 * HOUR_MS);
        else if (choice === 19) {
          const reserved = (await node.reserve(pool, 3, world.now))!;
          if (reserved.isGranted) node.putBack(pool, 3, reserved);
        } else if (choice === 20) await world.checkStatement(pool);
        else expect(await world.remaining(node, pool)).toBe(model.balance);
      }
      await node.stop();
      await world.checkStatement(pool);
    }
  });
});

/** What a pool should do, written down as simply as possible. */
class ModelOfGrants {
  readonly #refill: number | null;
  nextRefillAt: number;
  #grants: { remaining: number; expiresAt: number; made: number }[] = [];
  #made = 0;

  constructor(refill: number | null, now: number) {
    this.#refill = refill;
    this.nextRefillAt = refill === null ? Infinity : nextHour(now);
  }

  get balance(): number {
    return this.#grants.reduce((sum, { remaining }) => sum + remaining, 0);
  }

  bringTo(now: number): void {
    if (now >= this.nextRefillAt) {
      const [expiresAt, refill] = [nextHour(now), this.#refill!];
      this.#grants = this.#grants.filter((grant) => grant.expiresAt > now);
      this.add(refill, expiresAt);
      this.nextRefillAt = expiresAt;
    }
    this.#grants = this.#grants.filter((grant) => grant.expiresAt > now);
  }

  add(remaining: number, expiresAt: number): void {
    this.#grants.push({ remaining, expiresAt, made: this.#made++ });
    this.#grants.sort((a, b) => a.expiresAt - b.expiresAt || a.made - b.made || 0);
  }

  take(cost: number): boolean {
    if (cost > this.balance) return false;
    this.remove(cost);
    return true;
  }

  remove(amount: number): number {
    let rest = amount;
    for (const grant of this.#grants) {
      const part = Math.min(rest, grant.remaining);
      grant.remaining -= part;
      rest -= part;
    }
    return amount - rest;
  }
}

const nextHour = (now: number): number => Math.floor(now / HOUR_MS) * HOUR_MS + HOUR_MS;
