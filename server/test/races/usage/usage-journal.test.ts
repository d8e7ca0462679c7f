import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { UsageJournal } from '../../../src/features/analytics/journal/journal.ts';
import { scaled } from '../../harness/scale.ts';
import type { TestApp } from '../../harness/test-app.ts';
import { FailingUsage, Key, startWithKeys } from './usage-flush-harness.ts';

let test: TestApp;
let usage: FailingUsage;

beforeAll(async () => {
  test = await startWithKeys();
});
afterAll(() => test?.close());
beforeEach(async () => {
  usage = await FailingUsage.create(test);
});

describe('a minute with very many batches', () => {
  it('is folded before it ends', async () => {
    const { journalling, keys, accessKey } = usage;
    for (const key of keys) key.firstUsedAt = 1;
    const useAll = async (batches: number) => {
      for (let n = 0; n < batches; n++) {
        for (const key of keys)
          journalling.count(
            (n + key.seq) % 3 === 0 ? 'rate_limited' : 'valid',
            key,
            accessKey,
            test.clock.now,
          );
        await journalling.flush();
      }
    };
    const maintenance = usage.maintenanceOn(test.storage);
    await useAll(124);
    await maintenance.run();
    expect([await usage.journaledBatches(), await usage.sumOf('usage_minutes')]).toEqual([124, 0]);
    await useAll(136);
    await maintenance.run();
    expect([await usage.journaledBatches(), await usage.sumOf('usage_minutes')]).toEqual([
      0,
      260 * keys.length,
    ]);
    await maintenance.stop();
  });
});

/** Keys in the first batch: enough for several steps per minute. */
const FIRST_KEYS = scaled(4_000, 1_500);

describe.each([...Array.from({ length: 12 }, (_, n) => n + 1), 'after commit' as const])(
  'a fold of the journal whose failure point in each step is %s',
  (failAt) => {
    it('adds everything once', async () => {
      const { failing, journalling, keys, accessKey } = usage;
      const many = Array.from(
        { length: FIRST_KEYS + 1_000 },
        (_, n) => new Key(n + 1, keys[0]!.project.id),
      );
      for (const key of many) key.firstUsedAt = 1;
      let counted = 0;
      for (let batch = 0; batch < 6; batch++) {
        for (const key of many.slice(batch * 100, FIRST_KEYS + batch * 200)) {
          journalling.count('valid', key, accessKey, test.clock.now);
          counted++;
        }
        await journalling.flush();
        if (batch % 2 === 1) test.clock.now += 60_000;
      }
      const journal = new UsageJournal(failing.storage);
      for (let step = 1; ; step++) {
        failing.failAt = failAt;
        await journal.step().catch(() => {});
        failing.failAt = null;
        // Every third time another process continues.
        const next = step % 3 === 0 ? new UsageJournal(failing.storage) : journal;
        if (!(await next.step())) break;
      }
      expect(await usage.sumOf('usage_minutes')).toBe(counted);
      const { rows } = await sql<{ start: number; n: number }>`
        select start, count(*) as n from usage_minutes group by start order by start`.execute(
        test.storage.point,
      );
      expect(rows.map(({ n }) => n)).toEqual([200, 400, 600].map((more) => FIRST_KEYS + more));
    });
  },
);
