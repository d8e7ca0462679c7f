import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { rollUpStep } from '../../../src/features/analytics/buckets/roll-up.ts';
import type { UsageTally } from '../../../src/features/analytics/index.ts';
import { USAGE_KINDS } from '../../../src/features/analytics/usage-kinds.ts';
import type { TestApp } from '../../harness/test-app.ts';
import type { FailAt } from './usage-failing-storage.ts';
import { AccessKey, FailingUsage, resetUsage, startWithKeys } from './usage-flush-harness.ts';

const QUARTER = 900_000;
let test: TestApp;
let usage: FailingUsage;

beforeAll(async () => {
  test = await startWithKeys();
});
afterAll(() => test?.close());
beforeEach(async () => {
  usage = await FailingUsage.create(test);
});

const eventsOf = async (): Promise<number> =>
  (
    await test.storage.point
      .selectFrom('events')
      .select('id')
      .where('type', '=', 'api-key.firstUsed')
      .execute()
  ).length;

const lastUses = async (): Promise<number[]> =>
  (
    await test.storage.point
      .selectFrom('key_usage')
      .select('last_used_at')
      .orderBy('key_seq')
      .execute()
  ).map((row) => row.last_used_at);

/** More than the 32 bits of a word in the journal. */
const COST = 5_000_000_000;

const EVERY_POINT: readonly FailAt[] = [
  ...Array.from({ length: 24 }, (_, n) => n + 1),
  'after commit',
];

describe.each(EVERY_POINT)('a flush whose failure point is %s', (failAt) => {
  it.each(['directly', 'through the journal'])(
    'loses nothing and counts nothing twice when it writes %s',
    async (route) => {
      const isJournalled = route === 'through the journal';
      const { failing, keys, accessKey, errors } = usage;
      const tally = isJournalled ? usage.journalling : usage.tally;
      let counted = 0;
      const count = (n: number) => {
        for (const key of keys.slice(0, n)) {
          tally.count('valid', key, accessKey, test.clock.now, { cost: COST, resource: null });
          tally.count('rate_limited', key, accessKey, test.clock.now, {
            cost: COST,
            resource: null,
          });
          counted += 2;
        }
      };
      count(2);
      failing.failAt = failAt;
      await tally.flush();
      count(3);
      // The next minute adds a second batch behind the failed one.
      test.clock.now += 60_000;
      count(1);
      await tally.flush();
      failing.failAt = null;
      await tally.flush();
      if (isJournalled) expect(await usage.sumOf('usage_minutes')).toBe(0);
      await test.app.usageMaintenance.foldJournal();
      for (const table of ['usage_minutes', 'project_minutes', 'access_usage_minutes']) {
        expect(await usage.sumOf(table)).toBe(counted);
        expect(await usage.costOf(table)).toBe((counted / 2) * COST);
      }
      expect(await eventsOf()).toBe(3);
      expect(await lastUses()).toEqual([
        test.clock.now,
        test.clock.now - 60_000,
        test.clock.now - 60_000,
      ]);
      expect(errors.length > 0).toBe(failing.failed);
      const { rows } = await sql<{ start: number; n: number }>`
      select start, sum(valid) as n from usage_minutes group by start order by start`.execute(
        test.storage.point,
      );
      expect(rows.map(({ n }) => n)).toEqual([5, 1]);
    },
  );
});

it('covers every statement at which a flush can fail', async () => {
  const { failing, tally, keys, accessKey } = usage;
  tally.count('valid', keys[0]!, accessKey, test.clock.now);
  failing.failAt = 24;
  await tally.flush();
  // A flush has fewer statements than the points above, so every statement is covered.
  expect(failing.failed).toBe(false);
});

it('a stop writes what a failed flush left behind', async () => {
  const { failing, tally, keys, accessKey } = usage;
  tally.count('valid', keys[0]!, accessKey, test.clock.now);
  failing.failAt = 3;
  await tally.flush();
  failing.failAt = null;
  tally.count('valid', keys[0]!, accessKey, test.clock.now);
  await tally.stop();
  expect(await usage.sumOf('usage_minutes')).toBe(2);
});

/** Every row that a flush writes, without sequence numbers that differ between runs. */
async function usageRows(): Promise<unknown> {
  await test.app.usageMaintenance.foldJournal();
  const rowsOf = async (query: string) => (await sql.raw(query).execute(test.storage.point)).rows;
  const projectCounts = (grain: string) =>
    rowsOf(`select u.project_id, m.start, m.valid, m.rate_limited, m.revoked, m.expired,
      m.domain_denied from project_${grain} m join project_usage u on u.seq = m.seq
      order by m.start, u.project_id`);
  return {
    minutes: await rowsOf('select * from usage_minutes order by start, seq'),
    quarters: await rowsOf('select * from usage_quarters order by start, seq'),
    accessMinutes: await rowsOf('select * from access_usage_minutes order by start, seq'),
    accessQuarters: await rowsOf('select * from access_usage_quarters order by start, seq'),
    projectMinutes: await projectCounts('minutes'),
    projectQuarters: await projectCounts('quarters'),
    projects: await rowsOf(
      'select project_id, first_used_at, last_used_at from project_usage order by project_id',
    ),
    lastUses: await rowsOf('select * from key_usage order by key_seq'),
    accessKey: await rowsOf('select last_used_at from access_keys where seq = 1'),
  };
}

describe('journalled batches', () => {
  /** Uses over several minutes; the last one arrives after its quarter-hour is rolled up. */
  async function useKeys(counting: UsageTally, accessKey: AccessKey): Promise<void> {
    const { keys } = usage;
    const outcomes = ['valid', 'valid', 'rate_limited', 'revoked', 'domain_denied'] as const;
    for (const [n, stepMs] of [0, 1_000, 59_000, QUARTER, 7, 60_000].entries()) {
      test.clock.now += stepMs;
      for (const [k, key] of keys.entries())
        counting.count(outcomes[(n + k) % 5]!, key, accessKey, test.clock.now);
      counting.countMiss('unknown', accessKey, test.clock.now);
      await counting.flush();
    }
    test.clock.now += 2 * QUARTER;
    for (const kind of USAGE_KINDS) while (await rollUpStep(test.storage, kind, test.clock.now));
    test.clock.now -= 2 * QUARTER;
    counting.count('valid', keys[1]!, accessKey, test.clock.now);
    await counting.flush();
  }

  it.each([null, 'after commit', 1, 2, 3] as const)(
    'leave the same rows as batches that are added directly, with the failure point %s',
    async (failAt) => {
      const { failing, keys, errors } = usage;
      const written = [];
      for (const isJournalled of [false, true]) {
        await resetUsage(test);
        for (const key of keys) key.firstUsedAt = null;
        const accessKey = new AccessKey();
        await test.storage.transaction((tx) =>
          sql`update access_keys set last_used_at = null`.execute(tx),
        );
        const counting = isJournalled
          ? usage.tallyOn(failing.storage, 0)
          : usage.tallyOn(test.storage, Number.POSITIVE_INFINITY);
        for (const key of keys) counting.count('valid', key, accessKey, test.clock.now);
        await counting.flush();
        failing.failAt = isJournalled ? failAt : null;
        await useKeys(counting, accessKey);
        failing.failAt = null;
        await counting.flush();
        await counting.flush();
        written.push(await usageRows());
      }
      expect(written[1]).toEqual(written[0]);
      expect(errors.length > 0).toBe(failAt !== null);
    },
  );
});
