import { balanceOf } from '@keyward/rules/credits/pool.ts';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { GrantsUpgrade } from '../../src/app/grants-upgrade.ts';
import { poolAt } from '../../src/features/credits/record.ts';
import { readBalance, readPool, writePool } from '../../src/features/credits/store.ts';
import { areGrantsInUse, GRANTS_VERSION } from '../../src/storage/grants-in-use.ts';
import { scaled } from '../harness/scale.ts';
import { runSeed, SeededRandom } from '../harness/seeded-random.ts';
import { START } from '../harness/test-app.ts';
import { CreditsWorld } from './credits-world.ts';

const HOUR_MS = 3_600_000;
let world: CreditsWorld;

beforeEach(async () => {
  world = await CreditsWorld.open();
  await setOldest(1);
});
afterEach(() => world.close());

const setOldest = (version: number) =>
  world.storage.transaction((tx) =>
    sql`update schema_compatibility set compatible_from = ${version}`.execute(tx),
  );

const stored = (owner: string) =>
  world.storage.point
    .selectFrom('credit_pools')
    .selectAll()
    .where('owner', '=', owner)
    .executeTakeFirstOrThrow();

/** As nodes of version 1.0 write pools. */
async function writeOldPool(owner: string, random: SeededRandom): Promise<number> {
  const { project_id, account_id } = await stored('template');
  const blocks = Array.from({ length: random.below(4) }, (_, n) => {
    const amount = random.below(100);
    return { node: n === 0 ? `lse_${n}` : `old ${n}`, amount, spent: random.below(amount + 1) };
  });
  const unspent = blocks.reduce((sum, { amount, spent }) => sum + amount - spent, 0);
  const [remaining, owed] = random.chance(0.7)
    ? [random.below(1_000), 0]
    : [0, random.below(2 * unspent + 1)];
  const hasRefill = random.chance(0.6);
  const of = { project_id, owner_type: 'customer' as const, owner };
  await world.storage.transaction(async (tx) => {
    await tx
      .insertInto('credit_pools')
      .values({
        ...{ ...of, account_id, remaining, owed, grants: null, plan_id: null },
        refill_amount: hasRefill ? 500 : null,
        refill_interval: hasRefill ? random.pick(['hour', 'day', 'month'] as const) : null,
        refill_timezone: hasRefill ? 'Europe/Berlin' : null,
        next_refill_at: hasRefill ? START + HOUR_MS : null,
        ...{ refill_anchor: null, expiry_notice_at: null, starting_balance: 500 },
        ...{ created_at: START, updated_at: START },
      })
      .execute();
    for (const block of blocks)
      await tx
        .insertInto('credit_blocks')
        .values({ ...of, ...block, number: 1, ends_at: START + 10_000 })
        .execute();
  });
  return remaining - owed + unspent;
}

it('keeps every balance, before and after the pool gets its new form', async () => {
  const node = world.node(2);
  await world.set(node, world.pool('template'), { remaining: 1 });
  const random = new SeededRandom(runSeed());
  const count = scaled(10_000, 300);
  const balances = new Map<string, number>();
  for (let n = 0; n < count; n++)
    balances.set(`customer ${n}`, await writeOldPool(`customer ${n}`, random));
  await setOldest(GRANTS_VERSION);
  for (const [owner, balance] of balances) {
    const pool = world.pool(owner);
    const before = (await readPool(world.storage.point, pool, START))!;
    expect(balanceOf(before), owner).toBe(balance);
    await world.storage.transaction((tx) => writePool(tx, pool, before, before, START));
    const after = (await readPool(world.storage.point, pool, START))!;
    expect(after.isOld).toBe(false);
    expect({ ...after, isOld: true }).toEqual(before);
    expect(balanceOf((await readBalance(world.storage.point, pool, START))!)).toBe(balance);
    const [grant] = after.grants;
    if (balance > 0)
      expect(grant).toMatchObject({
        source: after.refill === null ? 'purchase' : 'refill',
        expiresAt: after.nextRefillAt,
      });
    expect(poolAt(after, START).overdrawn).toBe(Math.max(0, -balance));
  }
});

it('writes pools as older nodes do while there may be some, and reads what those have written', async () => {
  const node = world.node(2);
  const pool = world.pool('a');
  await world.set(node, pool, { remaining: 10, refill: { amount: 8, interval: 'hour' } });
  await world.change(node, pool, { add: 5 });
  expect(await stored('a')).toMatchObject({ remaining: 15, owed: 0, grants: null });
  await world.storage.transaction((tx) =>
    tx
      .updateTable('credit_pools')
      .set(({ eb }) => ({ remaining: eb('remaining', '+', 7) }))
      .where('owner', '=', 'a')
      .execute(),
  );
  expect(await world.remaining(node, pool)).toBe(22);
  expect((await node.reserve(pool, 2, world.now))!.isGranted).toBe(true);
  await node.stop();
  expect(await stored('a')).toMatchObject({ remaining: 20, owed: 0, grants: null });
  // As in version 1.0, the refill replaces everything.
  world.now += HOUR_MS;
  expect(await world.remaining(node, pool)).toBe(8);
});

it('reads a pool that this version has created and an older node has changed', async () => {
  const node = world.node(2);
  const pool = world.pool('a');
  await world.set(node, pool, { remaining: 10 });
  expect((await stored('a')).grants).not.toBeNull();
  await world.storage.transaction((tx) =>
    tx.updateTable('credit_pools').set({ remaining: 3 }).where('owner', '=', 'a').execute(),
  );
  expect(await world.remaining(node, pool)).toBe(3);
});

it('uses grants a minute after the last older node has gone', async () => {
  let knownSchema = 27;
  const log = { info: () => {}, warn: () => {} };
  const upgrade = new GrantsUpgrade({
    ...{ storage: world.storage, clock: () => world.now, log: log as never },
    knownSchema: () => knownSchema,
  });
  const oldest = async () =>
    (
      await sql<{ oldest: number }>`
        select max(compatible_from) as oldest from schema_compatibility`.execute(
        world.storage.point,
      )
    ).rows[0]!.oldest;
  expect(await upgrade.check()).toBe(false);
  expect(await oldest()).toBe(1);
  knownSchema = GRANTS_VERSION;
  expect(await upgrade.check()).toBe(false);
  // No older node may start any more.
  expect(await oldest()).toBe(GRANTS_VERSION - 1);
  world.now += 59_000;
  expect(await upgrade.check()).toBe(false);
  // One that had started just before shows up.
  knownSchema = 0;
  expect(await upgrade.check()).toBe(false);
  knownSchema = Number.POSITIVE_INFINITY;
  expect(await upgrade.check()).toBe(false);
  world.now += 59_000;
  expect(await upgrade.check()).toBe(false);
  world.now += 1_000;
  expect(await upgrade.check()).toBe(true);
  expect(await areGrantsInUse(world.storage.point)).toBe(true);
});
