import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CreditLedger, CreditPool } from '../../src/features/credits/index.ts';
import { scaled } from '../harness/scale.ts';
import { runSeed, SeededRandom } from '../harness/seeded-random.ts';
import { FailingStorage } from '../races/usage/usage-failing-storage.ts';
import { CreditsWorld } from './credits-world.ts';

let world: CreditsWorld;
let failing: FailingStorage;

beforeEach(async () => {
  world = await CreditsWorld.open();
  failing = new FailingStorage(world.storage);
});
afterEach(() => world.close());

const take = async (node: CreditLedger, pool: CreditPool, cost = 1): Promise<boolean> =>
  (await node.reserve(pool, cost, world.now))!.isGranted;

/** Requests one credit after another until a request is refused. */
async function takeAll(node: CreditLedger, pool: CreditPool): Promise<number> {
  for (let taken = 0; ; taken++) if (!(await take(node, pool))) return taken;
}

const open = (nodes: number | null) => world.node(nodes, { storage: failing.storage });

describe('while the database is unavailable', () => {
  it('grants from a block for 250 ms, then nothing, and loses nothing afterwards', async () => {
    const node = open(null);
    const pool = world.pool('a');
    await world.set(node, pool, { remaining: 100 });
    await take(node, pool);
    await node.flush();
    await take(node, pool);
    failing.failAt = 1;
    await expect(node.flush()).rejects.toThrow('Simulated');
    expect(await take(node, pool)).toBe(true);
    world.now += 249;
    expect(await take(node, pool)).toBe(true);
    world.now += 1;
    await expect(take(node, pool)).rejects.toThrow('Simulated');
    failing.failAt = null;
    expect(await take(node, pool)).toBe(true);
    expect(await world.remaining(node, pool)).toBe(95);
  });

  it('grants nothing without a block', async () => {
    const node = open(null);
    const pool = world.pool('a');
    await world.set(node, pool, { remaining: 100 });
    failing.failAt = 1;
    await expect(take(node, pool)).rejects.toThrow('Simulated');
    failing.failAt = null;
    expect(await takeAll(node, pool)).toBe(100);
  });
});

describe('while a draw waits for the database', () => {
  it.each([
    ['succeeds', () => {}],
    ['fails', () => Promise.reject(new Error('Simulated'))],
  ])('grants from the block for 250 ms, then waits until the draw %s', async (_, end) => {
    const locked = Promise.withResolvers<void>();
    let waits = Promise.resolve();
    const storage: typeof world.storage = {
      ...world.storage,
      transaction: async (work, options) => {
        await waits;
        return world.storage.transaction(work, options);
      },
    };
    const node = world.node(null, { storage });
    const pool = world.pool('a');
    await world.set(node, pool, { remaining: 100 });
    await take(node, pool);
    await node.flush();
    waits = locked.promise;
    const leasing = node.lease(pool, { id: 'lse_a', wanted: 1, needed: 1 }).catch(() => null);
    await new Promise(setImmediate);
    const results: Promise<boolean>[] = [];
    let granted = 0;
    for (let passed = 0; passed < 2_000; passed += 125) {
      results.push(take(node, pool).finally(() => granted++));
      await new Promise(setImmediate);
      expect(granted).toBe(Math.min(results.length, 2));
      world.now += 125;
      await node.flush();
    }
    waits = Promise.resolve();
    locked.resolve(end());
    const leased = (await leasing)?.granted ?? 0;
    expect(await Promise.all(results)).toEqual(results.map(() => true));
    expect(await world.remaining(node, pool)).toBe(99 - results.length);
    expect(await takeAll(node, pool)).toBe(99 - results.length - leased);
  });
});

it('forgets no more than 250 ms of use if a draw and the flush after it are slow', async () => {
  let waits = Promise.resolve();
  const storage: typeof world.storage = {
    ...world.storage,
    transaction: async (work, options) => {
      const result = await world.storage.transaction(work, options);
      await waits;
      return result;
    },
  };
  const node = world.node(null, { storage });
  const pool = world.pool('a');
  await world.set(node, pool, { remaining: 100 });
  await take(node, pool);
  await node.flush();
  const drawing = Promise.withResolvers<void>();
  waits = drawing.promise;
  const leasing = node.lease(pool, { id: 'lse_a', wanted: 1, needed: 1 });
  const blocks = () => world.storage.read.selectFrom('credit_blocks').select('node').execute();
  await expect.poll(blocks).toContainEqual({ node: 'lse_a' });
  let forgotten = 0;
  const spend = async () => {
    const result = node.reserve(pool, 1, world.now);
    if (!(result instanceof Promise)) forgotten++;
    else result.catch(() => {});
    await new Promise(setImmediate);
  };
  // Spends one credit every 25 ms. The draw has read the use already, and its response takes 200 ms.
  for (let n = 0; n < 8; n++) {
    await spend();
    world.now += 25;
    // Flushes skip the pool during the draw.
    if (n === 7) await node.flush();
  }
  const flushing = Promise.withResolvers<void>();
  waits = flushing.promise;
  drawing.resolve();
  await leasing;
  expect(forgotten).toBe(8);
  for (let n = 0; n < 20; n++) {
    await spend();
    world.now += 25;
  }
  expect(forgotten).toBe(10);
  waits = Promise.resolve();
  flushing.resolve();
  await node.transactionsDone();
});

describe('when the response to a commit is lost', () => {
  it('uses no block that may have been returned, and counts its use once', async () => {
    const [first, second] = [open(2), world.node(2)];
    const pool = world.pool('a');
    await world.set(second, pool, { remaining: 100 });
    for (let n = 0; n < 7; n++) await take(first, pool);
    await first.flush();
    world.now += 5_000;
    // There is nothing to store, so the only transaction of the flush returns the idle block.
    failing.failAt = 'after commit';
    await expect(first.flush()).rejects.toThrow('Simulated');
    failing.failAt = null;
    // The other node may take everything now.
    expect((await takeAll(second, pool)) + (await takeAll(first, pool))).toBe(93);
  });

  it('adds what was committed, and counts earlier use once', async () => {
    const [first, second] = [open(2), world.node(2)];
    const pool = world.pool('a');
    await world.set(second, pool, { remaining: 100 });
    for (let n = 0; n < 7; n++) await take(first, pool);
    const lost = new FailingStorage(world.storage);
    lost.failAt = 'after commit';
    const adding = world.change(first, pool, { add: 20 }, lost.storage);
    await expect(adding).rejects.toThrow('Simulated');
    expect(await world.remaining(second, pool)).toBe(113);
    expect((await takeAll(second, pool)) + (await takeAll(first, pool))).toBe(113);
  });

  it('finds the block of a draw, and draws only once', async () => {
    const node = open(null);
    const pool = world.pool('a');
    await world.set(node, pool, { remaining: 100 });
    failing.failAt = 'after commit';
    await expect(take(node, pool)).rejects.toThrow('Simulated');
    failing.failAt = null;
    expect(await takeAll(node, pool)).toBe(100);
  });
});

describe('credits that are put back', () => {
  it('are not lost if several requests put them back after a change has returned the block', async () => {
    for (const refill of [null, { amount: 50, interval: 'month' } as const]) {
      const node = open(null);
      const pool = world.pool(`refill ${refill?.interval}`);
      await world.set(node, pool, { remaining: 100, refill });
      const reserved = await Promise.all(
        [3, 4, 5].map((cost) => node.reserve(pool, cost, world.now)),
      );
      await world.change(node, pool, { add: 10 });
      for (const [n, cost] of [3, 4, 5].entries()) node.putBack(pool, cost, reserved[n]!);
      await expect.poll(() => world.remaining(node, pool)).toBe(110);
      await node.flush();
      await node.stop();
      expect(await world.balance(pool)).toBe(110);
    }
  });

  it('are kept if put back during a change', async () => {
    const node = open(null);
    const pool = world.pool('a');
    await world.set(node, pool, { remaining: 100 });
    const reserved = (await node.reserve(pool, 30, world.now))!;
    const adding = world.change(node, pool, { add: 10 });
    node.putBack(pool, 30, reserved);
    await adding;
    await expect.poll(() => world.remaining(node, pool)).toBe(110);
  });
});

it('shows the same balance at any moment of a flush', async () => {
  const node = open(null);
  const pool = world.pool('a');
  await world.set(node, pool, { remaining: 10_000 });
  let spent = 0;
  for (let round = 0; round < 30; round++) {
    for (let n = 0; n < 5; n++) {
      await take(node, pool);
      spent++;
    }
    const flushing = node.flush();
    for (let n = 0; n < round % 6; n++) await new Promise(setImmediate);
    expect(await world.remaining(node, pool)).toBe(10_000 - spent);
    await flushing;
  }
});

it('counts every credit once, whichever transaction fails, before or after its commit', async () => {
  const seed = runSeed();
  const random = new SeededRandom(seed);
  for (let round = 0; round < scaled(40, 4); round++) {
    const nodes = [open(2), open(2)];
    const pool = world.pool(`customer ${round}`);
    await world.set(nodes[0]!, pool, { remaining: 300 });
    let given = 300;
    let spent = 0;
    const changing = new FailingStorage(world.storage);
    const failure = () =>
      random.chance(0.3) ? random.pick([1, 2, 3, 4, 'after commit' as const]) : null;
    for (let step = 0; step < 120; step++) {
      const node = random.pick(nodes);
      const choice = random.below(10);
      failing.failAt = failure();
      if (choice < 6) {
        const cost = random.below(5);
        if (await take(node, pool, cost).catch(() => false)) spent += cost;
      } else if (choice < 8) {
        world.now += 125;
        await node.flush().catch(() => {});
      } else if (choice === 8) {
        const add = random.below(40);
        changing.failAt = failure();
        changing.failed = false;
        const adding = world.change(node, pool, { add }, changing.storage);
        const isAdded = await adding.then(
          () => true,
          () => changing.failed && changing.failAt === 'after commit',
        );
        if (isAdded) given += add;
      } else {
        failing.failAt = null;
        await world.pass(random.below(24) * 250, nodes);
      }
      await node.transactionsDone();
      failing.failAt = null;
    }
    for (const node of nodes) await node.stop();
    expect(await world.balance(pool), `seed ${seed}, round ${round}`).toBe(given - spent);
  }
});
