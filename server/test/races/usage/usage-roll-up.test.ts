// 5 s of CPU: usage of months, rolled up in every order.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { rollUpStep } from '../../../src/features/analytics/buckets/roll-up.ts';
import { readCounts } from '../../../src/features/analytics/queries/counts-reader.ts';
import { selectBySeq } from '../../../src/features/analytics/queries/selections.ts';
import { KEY_USAGE, USAGE_KINDS } from '../../../src/features/analytics/usage-kinds.ts';
import { isFull, scaled } from '../../harness/scale.ts';
import type { TestApp } from '../../harness/test-app.ts';
import { FailingUsage, startWithKeys } from './usage-flush-harness.ts';

const QUARTER = 900_000;
const DAY = 96 * QUARTER;
/** A quick run spreads its uses over the same time with fewer quarter-hours. */
const STRIDE = scaled(1, 5);
let test: TestApp;
let usage: FailingUsage;

beforeAll(async () => {
  test = await startWithKeys();
});
afterAll(() => test?.close());
beforeEach(async () => {
  usage = await FailingUsage.create(test);
});

describe.each([...Array.from({ length: 9 }, (_, n) => n + 1), 'after commit' as const])(
  'a roll-up whose failure point in each step is %s',
  (failAt) => {
    it('adds everything once', async () => {
      const { failing, tally, keys, accessKey } = usage;
      const begin = test.clock.now;
      for (let n = 0; n < 40; n += STRIDE) {
        test.clock.now = begin + n * 3 * QUARTER + n * 60_000;
        for (const key of keys)
          tally.count('valid', key, accessKey, test.clock.now, { cost: 7, resource: null });
      }
      await tally.flush();
      const now = test.clock.now + 2 * QUARTER;
      for (const kind of USAGE_KINDS)
        for (;;) {
          failing.failAt = failAt;
          await rollUpStep(failing.storage, kind, now).catch(() => {});
          failing.failAt = null;
          if (!(await rollUpStep(failing.storage, kind, now))) break;
        }
      const all = Math.ceil(40 / STRIDE) * keys.length;
      for (const table of ['usage_quarters', 'project_quarters', 'access_usage_quarters']) {
        expect(await usage.sumOf(table)).toBe(all);
        expect(await usage.costOf(table)).toBe(7 * all);
      }
      const { rows } = await sql<{ until: number }>`
        select rolled_until as until from usage_watermarks where level = 'key quarters'`.execute(
        test.storage.point,
      );
      const before = await sql<{ n: number }>`select sum(valid) as n from usage_quarters
        where start < ${rows[0]!.until}`.execute(test.storage.point);
      expect(before.rows[0]!.n).toBeGreaterThan(0);
      for (const table of ['usage_days', 'usage_months', 'project_days', 'access_usage_days']) {
        expect(await usage.sumOf(table)).toBe(before.rows[0]!.n);
        expect(await usage.costOf(table)).toBe(7 * before.rows[0]!.n);
      }
    });
  },
);

it.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'a reader sees every count once if a roll-up runs after its statement %i',
  async (statement) => {
    const { tally, keys, accessKey } = usage;
    const begin = test.clock.now + 5 * DAY;
    for (let quarter = 0; quarter < 200; quarter += STRIDE)
      for (const key of keys) tally.count('valid', key, accessKey, begin + quarter * QUARTER);
    await tally.flush();
    // The first day is rolled up before the read, into an unfinished month; the second during it.
    while (await rollUpStep(test.storage, KEY_USAGE, begin + 110 * QUARTER));
    let statements = 0;
    const db = test.storage.read.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        if (++statements === statement)
          while (await rollUpStep(test.storage, KEY_USAGE, begin + 201 * QUARTER));
        return result;
      },
    });
    const seqs = keys.map(({ seq }) => seq);
    const all = { from: 0, until: 8.64e15, grain: 'months', asOne: true } as const;
    const rows = await readCounts(db, selectBySeq(KEY_USAGE, seqs), all);
    const total = rows.reduce((sum, { counts }) => sum + counts[0]!, 0);
    expect(total).toBe(Math.ceil(200 / STRIDE) * keys.length);
    expect(statements).toBeGreaterThanOrEqual(Math.min(statement, 4));
  },
);

it('late uses between two roll-up steps are added to existing buckets exactly once', async () => {
  const { tally, keys, accessKey } = usage;
  // Not the first day of a month: an unfinished day must not be counted in its month.
  const begin = test.clock.now + 5 * DAY;
  let counted = 0;
  const countAll = async (at: number) => {
    test.clock.now = at;
    for (const key of keys) tally.count('valid', key, accessKey, at);
    counted += keys.length;
    await tally.flush();
  };
  for (let quarter = 0; quarter < 100; quarter += STRIDE) await countAll(begin + quarter * QUARTER);
  const now = begin + 101 * QUARTER;
  // After every step, uses arrive late for some quarter-hour, also for the one in progress.
  for (let step = 0; ; step++) {
    const steps = await Promise.all(USAGE_KINDS.map((kind) => rollUpStep(test.storage, kind, now)));
    if (!steps.some(Boolean)) break;
    if (step < scaled(260, 60)) await countAll(begin + ((step * STRIDE) % 100) * QUARTER + 60_000);
    test.clock.now = now;
    // A query between two steps includes every count once.
    const groupings = ['all', 'day', 'month'];
    for (const grouping of isFull ? groupings : [groupings[step % 3]])
      expect(
        await usage.reportedTotal(`dateGrouping=${grouping}`),
        `${grouping}, step ${step}`,
      ).toBe(counted);
  }
  expect(await usage.sumOf('usage_minutes')).toBe(counted);
  expect(await usage.sumOf('usage_quarters')).toBe(counted);
  expect(await usage.sumOf('project_quarters')).toBe(counted);
  expect(await usage.sumOf('access_usage_quarters')).toBe(counted);
  const { rows } = await sql<{ n: number }>`select sum(valid) as n from usage_quarters
    where start < ${begin + DAY}`.execute(test.storage.point);
  expect(await usage.sumOf('usage_days')).toBe(rows[0]!.n);
  expect(await usage.sumOf('usage_months')).toBe(rows[0]!.n);
});
