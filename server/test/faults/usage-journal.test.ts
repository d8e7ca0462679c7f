import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { UsageJournal } from '../../src/features/analytics/journal.ts';
import type { TestApp } from '../harness/test-app.ts';
import { scaled } from './scale.ts';
import { FailingUsage, Key, startWithKeys } from './usage-flush-harness.ts';

let test: TestApp;
let usage: FailingUsage;

beforeAll(async () => {
  test = await startWithKeys();
});
afterAll(() => test?.close());
beforeEach(async () => {
  usage = await FailingUsage.afresh(test);
});

describe('a minute of very many batches', () => {
  /** Keys that are used again and again, and some that are used once. */
  async function useOften(batches: number, distinct = 0): Promise<number> {
    const { journalling, keys, accessKey } = usage;
    for (const key of keys) key.firstUsedAt = 1;
    let counted = 0;
    for (let n = 0; n < batches; n++) {
      const once = Array.from({ length: distinct }, (_, k) => {
        const key = new Key(1_000 + n * distinct + k, keys[0]!.project.id);
        key.firstUsedAt = 1;
        return key;
      });
      for (const key of [...keys, ...once]) {
        const outcome = (n + key.seq) % 3 === 0 ? 'rate_limited' : 'valid';
        journalling.count(outcome, key, accessKey, test.clock.now);
        counted++;
      }
      await journalling.flush();
      test.clock.now += 100;
    }
    return counted;
  }

  it('becomes one that says the same, and then what is to be added', async () => {
    const { keys } = usage;
    const counted = await useOften(260);
    expect(await usage.waiting()).toBe(260);
    const keeper = usage.keeperOn(test.storage);
    await keeper.run();
    expect(await usage.waiting()).toBeLessThan(125);
    expect(await usage.sumOf('usage_minutes')).toBe(0);
    await keeper.settle();
    expect([await usage.waiting(), await usage.sumOf('usage_minutes')]).toEqual([0, counted]);
    const { rows } = await sql<{ seq: number; valid: number; limited: number }>`
      select seq, valid, rate_limited as limited from usage_minutes order by seq`.execute(
      test.storage.point,
    );
    const limited = keys.map(
      ({ seq }) =>
        Array.from({ length: 260 }, (_, n) => n).filter((n) => (n + seq) % 3 === 0).length,
    );
    expect(rows.map((row) => row.limited)).toEqual(limited);
    expect(rows.map((row) => row.valid + row.limited)).toEqual(keys.map(() => 260));
    await keeper.stop();
  });

  it('keeps the place of its oldest batch: who adds up to any of them misses none', async () => {
    const counted = await useOften(130);
    const journal = new UsageJournal(test.storage);
    const { id } = await test.storage.point
      .selectFrom('usage_journal')
      .select('id')
      .orderBy('id')
      .executeTakeFirstOrThrow();
    expect(await journal.condense()).toBe(true);
    while (await journal.step(id));
    expect(await usage.sumOf('usage_minutes')).toBe(counted);
  });

  it('is left to be added where its keys are all different, or are being added', async () => {
    const counted = await useOften(4, 50);
    const journal = new UsageJournal(test.storage);
    expect(await journal.condense()).toBe(false);
    expect(await usage.waiting()).toBe(4);
    const more = await useOften(1);
    await test.storage.transaction((tx) => sql`update usage_journal set folding = 1`.execute(tx));
    expect(await journal.condense()).toBe(false);
    while (await journal.step());
    expect(await usage.sumOf('usage_minutes')).toBe(counted + more);
  });

  it.each([1, 2, 3, 'after commit'] as const)(
    'that fails to become one, at %s, says the same still',
    async (failAt) => {
      const { failing } = usage;
      const counted = await useOften(20);
      failing.failAt = failAt;
      await expect(new UsageJournal(failing.storage).condense()).rejects.toThrow();
      failing.failAt = null;
      const journal = new UsageJournal(failing.storage);
      await journal.condense();
      while (await journal.step());
      expect(await usage.sumOf('usage_minutes')).toBe(counted);
    },
  );
});

/** In the first batch: so many that a minute takes several steps. */
const FIRST_KEYS = scaled(4_000, 1_500);

describe.each([...Array.from({ length: 12 }, (_, n) => n + 1), 'after commit' as const])(
  'adding the journal to its minutes, failing before statement %s of each step',
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
      for (;;) {
        failing.failAt = failAt;
        await journal.step().catch(() => {});
        failing.failAt = null;
        // Now and then another process goes on with it.
        const other = new UsageJournal(failing.storage);
        if (!(await (counted % 3 === 0 ? other : journal).step())) break;
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
