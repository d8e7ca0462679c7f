import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  executeMany,
  forUpdate,
  insertRows,
  isUniqueViolation,
  type Storage,
  StorageUnavailable,
} from '../../src/storage/index.ts';
import type { ReadTimeouts } from '../../src/storage/reads/read-lanes.ts';
import { readContract } from './reads.contract.ts';

/** A newly migrated database. */
export interface OpenedStorage {
  readonly storage: Storage;
  dispose(): Promise<void>;
}

/** Requirements for every storage engine. */
export function storageContract(
  name: string,
  open: (readTimeouts?: ReadTimeouts) => Promise<OpenedStorage>,
): void {
  describe(`storage contract: ${name}`, () => {
    let opened: OpenedStorage;
    let storage: Storage;

    beforeEach(async () => {
      opened = await open();
      storage = opened.storage;
    });
    afterEach(() => opened.dispose());

    const put = (key: string, value: string) =>
      storage.transaction((tx) =>
        tx.insertInto('installation').values({ name: key, value }).execute(),
      );
    const get = async (via: 'point' | 'read', key: string) => {
      const query = storage[via].selectFrom('installation').selectAll().where('name', '=', key);
      return (await query.executeTakeFirst())?.value;
    };

    describe('a transaction', () => {
      it('is visible to `point` and `read` as soon as it resolves, and returns the result of its work', async () => {
        const returned = await storage.transaction(async (tx) => {
          await tx.insertInto('installation').values({ name: 'a', value: '1' }).execute();
          return 'done';
        });
        expect(returned).toBe('done');
        expect(await get('point', 'a')).toBe('1');
        expect(await get('read', 'a')).toBe('1');
      });

      it('reads its own writes', async () => {
        const count = await storage.transaction(async (tx) => {
          await tx.insertInto('installation').values({ name: 'a', value: '1' }).execute();
          return (await tx.selectFrom('installation').selectAll().execute()).length;
        });
        expect(count).toBe(1);
      });

      it('rolls back when its work throws, and rejects with the same error', async () => {
        const reason = new Error('changed my mind');
        const attempt = storage.transaction(async (tx) => {
          await tx.insertInto('installation').values({ name: 'a', value: '1' }).execute();
          throw reason;
        });
        await expect(attempt).rejects.toBe(reason);
        expect(await get('point', 'a')).toBeUndefined();
        expect(await get('read', 'a')).toBeUndefined();
      });

      it('cannot be used after it ended', async () => {
        const tx = await storage.transaction(async (open) => open);
        const late = tx.insertInto('installation').values({ name: 'late', value: '1' }).execute();
        await expect(late).rejects.toThrow();
        expect(await get('point', 'late')).toBeUndefined();
      });

      it('refuses further statements after a failed one and does not commit, even if its work continues', async () => {
        await put('taken', '1');
        const attempt = storage.transaction(async (tx) => {
          await tx.insertInto('installation').values({ name: 'before', value: '1' }).execute();
          const twice = tx.insertInto('installation').values({ name: 'taken', value: '2' });
          await twice.execute().catch(() => {});
          const after = tx.insertInto('installation').values({ name: 'after', value: '1' });
          await after.execute().catch(() => {});
        });
        await expect(attempt).rejects.toThrow();
        expect(await get('point', 'before')).toBeUndefined();
        expect(await get('point', 'after')).toBeUndefined();
      });

      it('runs concurrent queries in the order in which they were sent', async () => {
        await storage.transaction(async (tx) => {
          await Promise.all([
            tx.insertInto('installation').values({ name: 'a', value: '1' }).execute(),
            tx.updateTable('installation').set({ value: '2' }).where('name', '=', 'a').execute(),
            tx.updateTable('installation').set({ value: '3' }).where('value', '=', '2').execute(),
          ]);
        });
        expect(await get('point', 'a')).toBe('3');
      });

      it('returns the number of changed rows', async () => {
        await put('a', '1');
        const change = (key: string) =>
          storage.transaction((tx) =>
            tx
              .updateTable('installation')
              .set({ value: '2' })
              .where('name', '=', key)
              .executeTakeFirst(),
          );
        expect((await change('a')).numUpdatedRows).toBe(1n);
        expect((await change('b')).numUpdatedRows).toBe(0n);
      });

      it('returns the changed rows, with sequence numbers that are never reused', async () => {
        const add = (id: string) =>
          storage.transaction((tx) =>
            tx
              .insertInto('audit_log')
              .values(auditRow(id))
              .returning('seq')
              .executeTakeFirstOrThrow(),
          );
        const first = await add('aud_1');
        await storage.transaction((tx) => tx.deleteFrom('audit_log').execute());
        const second = await add('aud_2');
        expect(typeof first.seq).toBe('number');
        expect(second.seq).toBeGreaterThan(first.seq);
      });
    });

    describe('values', () => {
      it('are read back unchanged: bytes in their own buffer, numbers as numbers, text in any script', async () => {
        const entries = Uint8Array.from({ length: 300 }, (_, n) => n % 256);
        const text = 'ß 漢字 🔑 \\ \' " % _ \u0001 \ufffd';
        await put('text', text);
        await storage.transaction((tx) =>
          tx
            .insertInto('usage_journal')
            .values({ minute: 1_900_000_000_000, entries, folding: 0 })
            .execute(),
        );
        const row = await storage.read
          .selectFrom('usage_journal')
          .selectAll()
          .executeTakeFirstOrThrow();
        expect(new Uint8Array(row.entries)).toEqual(entries);
        expect(row.entries.slice().buffer.byteLength).toBe(300);
        expect(row.minute).toBe(1_900_000_000_000);
        expect(await get('point', 'text')).toBe(text);
        const { rows } = await sql<{ sum: unknown; count: unknown }>`
          select cast(sum(minute) as bigint) as sum, count(*) as count from usage_journal`.execute(
          storage.read,
        );
        expect(rows).toEqual([{ sum: 1_900_000_000_000, count: 1 }]);
      });

      it('of unsupported types are refused, and the transaction fails', async () => {
        for (const value of [undefined, true, { a: 1 }, () => {}]) {
          const attempt = storage.transaction(async (tx) => {
            await tx.insertInto('installation').values({ name: 'a', value: 'a' }).execute();
            await tx
              .insertInto('installation')
              .values({ name: 'b', value: value as never })
              .execute()
              .catch(() => {});
          });
          await expect(attempt).rejects.toThrow();
        }
        expect(await get('point', 'a')).toBeUndefined();
      });

      it('of ids sort by their bytes', async () => {
        for (const name of ['b', 'A', 'a', 'B', '_', 'a_', 'aB']) await put(name, name);
        const rows = await storage.read
          .selectFrom('installation')
          .select('name')
          .orderBy('name')
          .execute();
        expect(rows.map(({ name }) => name)).toEqual(['A', 'B', '_', 'a', 'aB', 'a_', 'b']);
      });
    });

    describe('locks', () => {
      it('with a name are held by only one transaction at a time', async () => {
        await put('counter', '0');
        let inside = 0;
        let most = 0;
        const add = () =>
          storage.transaction(async (tx) => {
            await storage.lock(tx, 'the counter');
            most = Math.max(most, ++inside);
            const { value } = await tx
              .selectFrom('installation')
              .select('value')
              .where('name', '=', 'counter')
              .executeTakeFirstOrThrow();
            const set = { value: String(Number(value) + 1) };
            await tx.updateTable('installation').set(set).where('name', '=', 'counter').execute();
            inside--;
          });
        await Promise.all(Array.from({ length: 40 }, add));
        expect(most).toBe(1);
        expect(await get('point', 'counter')).toBe('40');
      });

      it('on rows prevent changes by others until the transaction ends', async () => {
        await put('counter', '0');
        const add = () =>
          storage.transaction(async (tx) => {
            const row = tx.selectFrom('installation').selectAll().where('name', '=', 'counter');
            const { value } = await forUpdate(tx, row, 'installation').executeTakeFirstOrThrow();
            const set = { value: String(Number(value) + 1) };
            await tx.updateTable('installation').set(set).where('name', '=', 'counter').execute();
          });
        await Promise.all(Array.from({ length: 40 }, add));
        expect(await get('point', 'counter')).toBe('40');
      });

      it('that deadlock are resolved: both transactions complete', async () => {
        await put('a', '0');
        await put('b', '0');
        let lockedRows = 0;
        const crossed = Promise.withResolvers<void>();
        const add = (first: string, second: string) =>
          storage.transaction(async (tx) => {
            const increment = (name: string) =>
              tx
                .updateTable('installation')
                .set({ value: sql`cast(cast(value as bigint) + 1 as text)` })
                .where('name', '=', name)
                .execute();
            await increment(first);
            if (++lockedRows === 2) crossed.resolve();
            // Both lock one row before either requests the other. With a single writer this cannot happen.
            await Promise.race([crossed.promise, sleep(200)]);
            await increment(second);
          });
        await Promise.all([add('a', 'b'), add('b', 'a')]);
        expect([await get('point', 'a'), await get('point', 'b')]).toEqual(['2', '2']);
      });
    });

    describe('concurrent transactions', () => {
      it('keep a counter exact, even 1,000 of them', async () => {
        await put('counter', '0');
        const increment = () =>
          storage.transaction((tx) =>
            tx
              .updateTable('installation')
              .set({ value: sql`cast(cast(value as bigint) + 1 as text)` })
              .where('name', '=', 'counter')
              .execute(),
          );
        await Promise.all(Array.from({ length: 1_000 }, increment));
        expect(await get('point', 'counter')).toBe('1000');
      });

      it('fail independently: a failed transaction does not affect others', async () => {
        const results = await Promise.allSettled(
          Array.from({ length: 50 }, (_, n) => put(n % 5 === 0 ? 'same' : `own-${n}`, String(n))),
        );
        const refused = results.filter((result) => result.status === 'rejected');
        expect(refused).toHaveLength(9);
        expect(refused.every(({ reason }) => isUniqueViolation(reason))).toBe(true);
        const rows = await storage.read.selectFrom('installation').select('name').execute();
        expect(rows).toHaveLength(41);
      });
    });

    it('a slow list delays neither a change nor a point read', async () => {
      const orderDuringList = async (rows: number): Promise<string[]> => {
        const order: string[] = [];
        const note = (what: string) => () => order.push(what);
        const slow = sql`
          with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${sql.lit(rows)})
          select count(*) as counted from numbers`;
        const list = slow.execute(storage.read).then(note('list'));
        await put(`beside ${rows}`, '1').then(note('change'));
        await get('point', `beside ${rows}`).then(note('point'));
        await list;
        return order;
      };
      // On a slow machine a change may take longer than the list; then the test tries a longer list.
      let order: string[] = [];
      for (let rows = 500_000; rows <= 32_000_000 && order.at(-1) !== 'list'; rows *= 4)
        order = await orderDuringList(rows);
      expect(order).toEqual(['change', 'point', 'list']);
    });

    describe('errors', () => {
      it('distinguish a unique violation from other errors', async () => {
        await put('a', '1');
        const twice = await put('a', '2').catch((error: unknown) => error);
        expect(isUniqueViolation(twice)).toBe(true);
        expect(twice).not.toBeInstanceOf(StorageUnavailable);
        expect(isUniqueViolation(await orphan().catch((error: unknown) => error))).toBe(false);
        expect(isUniqueViolation(new Error('UNIQUE constraint failed'))).toBe(false);
        expect(isUniqueViolation({ errcode: 2067 })).toBe(false);
      });

      it('are thrown for a row whose parent is missing', async () => {
        await expect(orphan()).rejects.toThrow(/foreign key/i);
      });

      it('are thrown for writes through point and read', async () => {
        for (const via of ['point', 'read'] as const) {
          const write = storage[via].insertInto('installation').values({ name: via, value: '1' });
          await expect(write.execute()).rejects.toThrow();
          expect(await get('point', via)).toBeUndefined();
        }
      });

      const orphan = () =>
        storage.transaction((tx) =>
          tx
            .insertInto('setup_links')
            .values({
              token_hash: 'x',
              account_id: 'acc_missing',
              expires_at: 1,
              used_at: null,
              created_at: 1,
            })
            .execute(),
        );
    });

    describe('executeMany', () => {
      const insert = (rows: readonly { name: string; value: string }[]) =>
        storage.transaction((tx) =>
          executeMany(
            tx,
            rows,
            ({ name, value }) =>
              sql`insert into installation (value, name) values (${value}, ${name})`,
          ),
        );

      it('writes all its rows', async () => {
        await insert(
          Array.from({ length: 4_000 }, (_, n) => ({ name: `row-${n}`, value: `${n}` })),
        );
        expect(await get('point', 'row-3999')).toBe('3999');
        const all = await storage.read.selectFrom('installation').select('name').execute();
        expect(all).toHaveLength(4_000);
      });

      it('writes none of them when one fails', async () => {
        const attempt = insert([
          { name: 'x', value: '1' },
          { name: 'y', value: '1' },
          { name: 'x', value: '2' },
        ]);
        expect(isUniqueViolation(await attempt.catch((error: unknown) => error))).toBe(true);
        expect(await get('point', 'y')).toBeUndefined();
      });

      it('does nothing if there are no rows', async () => {
        await insert([]);
        expect(await storage.read.selectFrom('installation').selectAll().execute()).toEqual([]);
      });

      it('can use a parameter of a row more than once, and values that are the same for all rows', async () => {
        const rows = [
          { name: 'x', value: '1' },
          { name: 'y', value: '2' },
        ];
        const write = (suffix: string | null) =>
          storage.transaction((tx) =>
            executeMany(tx, rows, ({ name, value }) =>
              tx
                .insertInto('installation')
                .values({ name, value })
                .onConflict((conflict) =>
                  conflict.column('name').doUpdateSet({
                    value: sql`cast(${value} as text) || coalesce(${suffix}, '-')`,
                  }),
                ),
            ),
          );
        await write('');
        await write('!');
        expect(await get('point', 'y')).toBe('2!');
        await write(null);
        expect(await get('point', 'x')).toBe('1-');
      });

      it.each<object>([{}, { value: undefined }])(
        'rejects a row without a value: %o',
        async (missing) => {
          const incomplete = { name: 'x', ...(missing as { value: string }) };
          const complete = { name: 'y', value: '1' };
          for (const rows of [
            [incomplete, complete],
            [complete, incomplete],
          ]) {
            await expect(insert(rows)).rejects.toThrow('no value for value');
            const inserted = storage.transaction((tx) => insertRows(tx, 'installation', rows));
            await expect(inserted).rejects.toThrow(TypeError);
          }
          expect(await get('point', 'y')).toBeUndefined();
        },
      );
    });

    describe('closing', () => {
      it('finishes earlier requests and rejects later ones', async () => {
        const pending = Array.from({ length: 20 }, (_, n) => put(`pending-${n}`, '1'));
        const reading = get('read', 'missing');
        await setImmediate();
        const closed = storage.close();
        const late = [put('late', '1'), get('point', 'a'), get('read', 'a'), storage.ping()];
        for (const result of await Promise.allSettled(late)) {
          expect(result).toMatchObject({ reason: expect.any(StorageUnavailable) });
        }
        expect(await Promise.all(pending)).toHaveLength(20);
        expect(await reading).toBeUndefined();
        await closed;
        await storage.close();
      });
    });

    readContract(open);

    it('a ping succeeds while the storage is open', async () => {
      await expect(storage.ping()).resolves.toBeUndefined();
    });
  });
}

const auditRow = (id: string) => ({
  id,
  account_id: 'acc_1',
  project_id: null,
  actor_type: 'SYSTEM',
  actor_id: 'test',
  action: 'test',
  target_type: 'test',
  target_id: 'test',
  before: null,
  after: null,
  request_id: null,
  client_address: null,
  user_agent: null,
  created_at: 1,
});
