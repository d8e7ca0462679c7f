import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isUniqueViolation, type RunScript, StorageUnavailable } from '../../src/storage/index.ts';
import { openSqlite, type SqliteStorage } from '../../src/storage/sqlite.ts';

/** A script is a transaction that is sent as a whole, with others in one message. */
describe('a script', () => {
  let directory: string;
  let storage: SqliteStorage;
  let run: RunScript;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'keyward-script-'));
    storage = await openSqlite({ file: join(directory, 'script.db') });
    run = storage.script!;
    await storage.transaction((tx) => sql`create table t (n integer unique)`.execute(tx));
  });
  afterEach(async () => {
    await storage.close();
    rmSync(directory, { recursive: true });
  });

  const insert = (n: unknown) => sql`insert into t (n) values (${n})`.compile(storage.point);
  const absent = (n: number) => sql`select n from t where n = ${n}`.compile(storage.point);
  const add = (...numbers: unknown[]) => run({ guards: [], steps: numbers.map(insert) });
  const stored = async () => {
    const { rows } = await sql<{ n: number }>`select n from t order by n`.execute(storage.read);
    return rows.map(({ n }) => n);
  };

  it('shares a commit with scripts sent at the same time', async () => {
    const { commits, transactions } = storage.stats();
    const done = await Promise.all(Array.from({ length: 50 }, (_, n) => add(n, 1_000 + n)));
    expect(done).toEqual(Array.from({ length: 50 }, () => true));
    const after = storage.stats();
    expect(after.transactions).toBe(transactions + 50);
    // Usually one commit; on a slow machine a group may end early.
    expect(after.commits - commits).toBeLessThanOrEqual(5);
    expect(await stored()).toHaveLength(100);
  });

  it('is applied completely or not at all, and does not affect others in its group', async () => {
    const [first, failed, last] = await Promise.allSettled([add(1, 2), add(3, 2, 4), add(5)]);
    expect([first.status, last.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(failed.status === 'rejected' && isUniqueViolation(failed.reason, 't')).toBe(true);
    expect(await stored()).toEqual([1, 2, 5]);
  });

  it('is isolated from the scripts before and after it in its group', async () => {
    const numbers = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 3 });
    const transaction = fc.record({
      kind: fc.constantFrom('script', 'script', 'script', 'turn'),
      unless: fc.integer({ min: 1, max: 8 }),
      numbers,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(transaction, { maxLength: 12 }), async (transactions) => {
        await storage.transaction((tx) => sql`delete from t`.execute(tx));
        const outcomes = await Promise.allSettled(
          transactions.map(({ kind, unless, numbers: all }) =>
            kind === 'script'
              ? run({ guards: [absent(unless)], steps: all.map(insert) })
              : storage.transaction(async (tx) => {
                  for (const n of all) await sql`insert into t values (${n})`.execute(tx);
                  return true;
                }),
          ),
        );
        const model = new Set<number>();
        const expected = transactions.map(({ kind, unless, numbers: all }) => {
          if (kind === 'script' && model.has(unless)) return false;
          if (new Set(all).size < all.length || all.some((n) => model.has(n))) return 'refused';
          for (const n of all) model.add(n);
          return true;
        });
        const seen = outcomes.map((each) =>
          each.status === 'rejected'
            ? isUniqueViolation(each.reason, 't') && 'refused'
            : each.value,
        );
        expect(seen).toEqual(expected);
        expect(await stored()).toEqual([...model].sort());
      }),
      { numRuns: 150 },
    );
  });

  it('does nothing if a guard finds a row, even one of the same group', async () => {
    const guarded = (...numbers: number[]) =>
      run({ guards: [absent(1), absent(9)], steps: numbers.map(insert) });
    expect(await Promise.all([guarded(2), add(1), guarded(3), add(4)])).toEqual([
      true,
      true,
      false,
      true,
    ]);
    expect(await stored()).toEqual([1, 2, 4]);
  });

  it('keeps its order among the other transactions', async () => {
    const other = (n: number, wanted: number[]) =>
      storage.transaction(async (tx) => {
        const { rows } = await sql<{ n: number }>`select n from t order by n`.execute(tx);
        expect(rows.map((row) => row.n)).toEqual(wanted);
        await sql`insert into t values (${n})`.execute(tx);
      });
    await Promise.all([add(1), other(2, [1]), add(3), add(4), other(5, [1, 2, 3, 4]), add(6)]);
    expect(await stored()).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('rejects a value that cannot be sent to the thread, without affecting others', async () => {
    await expect(add(Symbol('no'))).rejects.toThrow('cannot be bound');
    const [refused, kept] = await Promise.allSettled([add(new Date()), add(7)]);
    expect([refused.status, kept.status]).toEqual(['rejected', 'fulfilled']);
    expect(await stored()).toEqual([7]);
  });

  it('completes before a later close, and is rejected after it', async () => {
    const pending = add(8);
    await storage.close();
    expect(await pending).toBe(true);
    await expect(add(9)).rejects.toThrow(StorageUnavailable);
    storage = await openSqlite({ file: join(directory, 'script.db') });
    expect(await stored()).toEqual([8]);
  });
});
