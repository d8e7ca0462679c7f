import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CreditLedger, CreditPool } from '../../src/features/credits/index.ts';
import { createIds } from '../../src/kernel/ids.ts';
import type { Storage } from '../../src/storage/index.ts';
import { scaled } from '../harness/scale.ts';
import { runSeed, SeededRandom } from '../harness/seeded-random.ts';
import { CreditsWorld } from './credits-world.ts';

const HOUR_MS = 3_600_000;
const LEASE_MS = 30_000;
const makeId = createIds();
let world: CreditsWorld;

beforeEach(async () => {
  world = await CreditsWorld.open();
});
afterEach(() => world.close());

interface Lease {
  readonly id: string;
  readonly granted: number;
  readonly endsAt: number;
  readonly remaining: number;
}

async function lease(
  node: CreditLedger,
  pool: CreditPool,
  wanted: number,
  needed = 1,
): Promise<Lease> {
  const id = makeId('lse');
  return { id, ...(await node.lease(pool, { id, wanted, needed }))! };
}

const take = async (node: CreditLedger, pool: CreditPool, cost = 1): Promise<boolean> =>
  (await node.reserve(pool, cost, world.now))!.isGranted;

async function takeAll(node: CreditLedger, pool: CreditPool): Promise<number> {
  for (let taken = 0; ; taken++) if (!(await take(node, pool))) return taken;
}

/** A pool, and a node that has a block of it, or none. */
async function start(hasBlock: boolean, nodes: number | null = null, remaining = 1_000) {
  const node = world.node(nodes);
  const pool = world.pool('a');
  await world.set(node, pool, { remaining });
  if (hasBlock) await take(node, pool, 0);
  return { node, pool };
}

describe.each([
  ['one node that holds everything', true, null],
  ['one node that holds nothing', false, null],
  ['one of several nodes with a block', true, 3],
])('%s', (_, hasBlock, nodes) => {
  it('leases at most a twentieth, or what is needed, and grants the rest', async () => {
    const { node, pool } = await start(hasBlock, nodes);
    const first = await lease(node, pool, 10_000);
    expect(first).toMatchObject({ granted: 50, remaining: 1_000, endsAt: world.now + LEASE_MS });
    expect(await lease(node, pool, 10)).toMatchObject({ granted: 10 });
    expect(await lease(node, pool, 300, 300)).toMatchObject({ granted: 300 });
    expect(await lease(node, pool, 900, 900)).toMatchObject({ granted: 0 });
    expect(await takeAll(node, pool)).toBe(640);
    expect(await lease(node, pool, 1)).toMatchObject({ granted: 0 });
  });

  it('takes back what was not used, once and at most what was leased', async () => {
    const { node, pool } = await start(hasBlock, nodes);
    const [first, second] = [await lease(node, pool, 40), await lease(node, pool, 30)];
    expect((await node.endLease(pool, first.id, 15)).returned).toBe(15);
    expect((await node.endLease(pool, first.id, 15)).returned).toBe(0);
    expect((await node.endLease(pool, second.id, 1_000)).returned).toBe(30);
    expect((await node.endLease(pool, makeId('lse'), 5)).returned).toBe(0);
    expect((await node.endLease(world.pool('other'), second.id, 5)).returned).toBe(0);
    expect(await world.remaining(node, pool)).toBe(975);
    expect(await takeAll(node, pool)).toBe(975);
  });

  it('counts as spent what a client did not return in time', async () => {
    const { node, pool } = await start(hasBlock, nodes);
    const { id } = await lease(node, pool, 40);
    expect(await world.remaining(node, pool)).toBe(1_000);
    await world.pass(LEASE_MS, [node]);
    expect((await node.endLease(pool, id, 40)).returned).toBe(0);
    expect(await world.remaining(node, pool)).toBe(960);
    expect(await takeAll(node, pool)).toBe(960);
  });

  it('has stored the lease when it is granted, so a killed node forgets none', async () => {
    const { node, pool } = await start(hasBlock, nodes);
    const { id } = await lease(node, pool, 50);
    // With several nodes, the block of the killed node ends after 10 s.
    const next = world.node(nodes);
    await world.pass(12_000, [next]);
    expect(await takeAll(next, pool)).toBe(950);
    expect((await next.endLease(pool, id, 20)).returned).toBe(20);
    expect(await takeAll(next, pool)).toBe(20);
  });
});

it.each([null, 3])(
  'ignores a return with the name of a node as lease id: the block of a node is not a lease (nodes: %s)',
  async (nodes) => {
    const { node, pool } = await start(true, nodes);
    const blocks = await world.storage.read.selectFrom('credit_blocks').select('node').execute();
    expect(blocks).toHaveLength(1);
    expect((await node.endLease(pool, blocks[0]!.node, 0)).returned).toBe(0);
    expect(await world.remaining(node, pool)).toBe(1_000);
    expect(await takeAll(node, pool)).toBe(1_000);
  },
);

it('ends leases at the refill, and returns nothing of them afterwards', async () => {
  const node = world.node(null);
  const pool = world.pool('a');
  await world.set(node, pool, { refill: { amount: 100, interval: 'hour' } });
  world.now += HOUR_MS - 3_000;
  const { id, endsAt } = await lease(node, pool, 5);
  const refillAt = endsAt;
  expect(refillAt - world.now).toBeLessThanOrEqual(3_000);
  world.now = refillAt;
  expect((await node.endLease(pool, id, 5)).returned).toBe(0);
  expect(await takeAll(node, pool)).toBe(100);
});

it('deducts credits that were leased before a set or a removal when they are spent', async () => {
  const { node, pool } = await start(true);
  const [spent, returned, lost] = [
    await lease(node, pool, 50),
    await lease(node, pool, 40),
    await lease(node, pool, 30),
  ];
  expect((await world.change(node, pool, { set: 100 })).after.remaining).toBe(100);
  await node.endLease(pool, spent.id, 0);
  await node.endLease(pool, returned.id, 40);
  expect(await world.remaining(node, pool)).toBe(50);
  expect((await world.change(node, pool, { add: -1_000 })).after.remaining).toBe(0);
  expect(await take(node, pool)).toBe(false);
  await world.pass(LEASE_MS, [node]);
  expect((await world.change(node, pool, { add: 35 })).after.remaining).toBe(5);
  expect((await node.endLease(pool, lost.id, 30)).returned).toBe(0);
  expect(await takeAll(node, pool)).toBe(5);
});

it('does not spend what it is leasing at that moment', async () => {
  const spending: Promise<boolean>[] = [];
  const storage: Storage = Object.create(world.storage, {
    transaction: {
      value: (work: Parameters<Storage['transaction']>[0]) => {
        if (isLeasing) spending.push(take(node, pool, 60));
        return world.storage.transaction(work);
      },
    },
  });
  const node = world.node(null, { storage });
  const pool = world.pool('a');
  let isLeasing = false;
  await world.set(node, pool, { remaining: 100 });
  await take(node, pool, 0);
  isLeasing = true;
  expect(await lease(node, pool, 60, 60)).toMatchObject({ granted: 60 });
  expect(await Promise.all(spending)).toEqual([false]);
});

it('grants returned credits at once, although it has just refused', async () => {
  const { node, pool } = await start(true, null, 1);
  const { id } = await lease(node, pool, 1);
  expect(await take(node, pool)).toBe(false);
  expect(node.reserve(pool, 1, world.now)).toMatchObject({ isGranted: false });
  await node.endLease(pool, id, 1);
  expect(await take(node, pool)).toBe(true);
});

it.each([null, 3])(
  'after any sequence of uses, leases and additions, credits spent and left add up to those given (nodes: %s)',
  async (size) => {
    const random = new SeededRandom(runSeed());
    for (let round = 0; round < scaled(30, 4); round++) {
      const nodes = Array.from({ length: size ?? 1 }, () => world.node(size));
      const pool = world.pool(`customer ${round}`);
      let given = 500;
      let spent = 0;
      const open: Lease[] = [];
      await world.set(nodes[0]!, pool, { remaining: given });
      for (let step = 0; step < 120; step++) {
        const node = random.pick(nodes);
        const choice = random.below(10);
        if (choice < 3) {
          const cost = random.below(6);
          if (await take(node, pool, cost)) spent += cost;
        } else if (choice < 6) {
          const needed = random.below(8);
          const leased = await lease(node, pool, needed + random.below(40), needed);
          if (leased.granted > 0) open.push(leased);
        } else if (choice < 8) {
          const ended = open.splice(random.below(open.length + 1), 1)[0];
          if (ended === undefined) continue;
          const unused = random.chance(0.2) ? ended.granted : random.below(ended.granted + 1);
          const isOver = world.now >= ended.endsAt;
          expect((await node.endLease(pool, ended.id, unused)).returned).toBe(isOver ? 0 : unused);
          spent += isOver ? ended.granted : ended.granted - unused;
        } else if (choice === 8) {
          const add = random.below(60);
          given += add;
          await world.change(node, pool, { add });
        } else await world.pass(random.below(20) * 250, nodes);
        expect(spent + open.reduce((sum, { granted }) => sum + granted, 0)).toBeLessThanOrEqual(
          given,
        );
      }
      await world.pass(LEASE_MS + 12_000, nodes);
      for (const { granted } of open) spent += granted;
      let left = 0;
      for (const node of nodes) left += await takeAll(node, pool);
      expect(spent + left).toBe(given);
      for (const node of nodes) await node.stop();
    }
  },
);
