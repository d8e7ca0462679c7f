import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StorageUnavailable } from '../../src/storage/index.ts';
import { StorageThread } from '../../src/storage/sqlite/thread.ts';
import { transactionsOver } from '../../src/storage/sqlite/transactions.ts';
import { WriteQueue } from '../../src/storage/sqlite/write-queue.ts';

const WRITER = new URL('../../src/storage/sqlite/writer-thread.ts', import.meta.url);
const DYING = new URL('./dying-thread.ts', import.meta.url);
const FULL_DISK = fileURLToPath(new URL('./full-disk.child.ts', import.meta.url));

describe('the writer', () => {
  let directory: string;
  let file: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'keyward-writer-'));
    file = join(directory, 'writer.db');
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const start = (body: URL) =>
    StorageThread.start(
      body,
      {
        file,
        readOnly: false,
        busyTimeoutMs: 100,
        cacheKilobytes: 1024,
        unsafeSynchronousOff: false,
      },
      'test-thread',
    );

  describe('commits in groups', () => {
    let thread: StorageThread;
    let queue: WriteQueue;
    let transaction: ReturnType<typeof transactionsOver>;
    beforeEach(async () => {
      thread = await start(WRITER);
      // No time limit, so that the counts are the same on a slow machine.
      queue = new WriteQueue(thread, { turnsMax: 64, msMax: Number.POSITIVE_INFINITY });
      transaction = transactionsOver(queue);
      await transaction((tx) => sql`create table t (n integer unique)`.execute(tx));
    });
    afterEach(() => thread.close());

    const insert = (n: number) =>
      transaction((tx) => sql`insert into t (n) values (${n})`.execute(tx));
    const stored = () =>
      transaction(
        async (tx) => (await sql<{ n: number }>`select n from t order by n`.execute(tx)).rows,
      );

    it('of at most 64 transactions', async () => {
      const before = queue.stats.commits;
      await Promise.all(Array.from({ length: 200 }, (_, n) => insert(n)));
      expect(queue.stats.commits - before).toBe(4);
      expect(await stored()).toHaveLength(200);
    });

    it('of one transaction when no other is waiting', async () => {
      const before = queue.stats.commits;
      for (let n = 0; n < 5; n++) await insert(n);
      expect(queue.stats.commits - before).toBe(5);
    });

    it('that are not affected by a failed transaction', async () => {
      const before = queue.stats.commits;
      const results = await Promise.allSettled([insert(1), insert(1), insert(2)]);
      expect(results.map((result) => result.status)).toEqual([
        'fulfilled',
        'rejected',
        'fulfilled',
      ]);
      expect(queue.stats.commits - before).toBe(1);
      expect(await stored()).toEqual([{ n: 1 }, { n: 2 }]);
    });

    it('and rejects a rolled-back transaction only when the rows it read are durable', async () => {
      const order: string[] = [];
      const commitsBefore = queue.stats.commits;
      const first = insert(1);
      const second = transaction(async (tx) => {
        const { rows } = await sql`select n from t`.execute(tx);
        order.push(`saw ${rows.length}`);
        throw new Error('already there');
      }).catch(() => order.push(`rejected after ${queue.stats.commits - commitsBefore} commits`));
      const third = insert(2);
      await Promise.all([first, second, third]);
      expect(order).toEqual(['saw 1', 'rejected after 1 commits']);
    });

    it('and loses no update of transactions that read and write', async () => {
      await insert(0);
      const increment = () =>
        transaction(async (tx) => {
          const { rows } = await sql<{ n: number }>`select n from t`.execute(tx);
          await sql`update t set n = ${rows[0]!.n + 1}`.execute(tx);
        });
      await Promise.all(Array.from({ length: 300 }, increment));
      expect(await stored()).toEqual([{ n: 300 }]);
    });

    it('and continues after a transaction that never ends', async () => {
      let late: Promise<unknown> | undefined;
      const stuck = transaction(
        async (tx) => {
          await sql`insert into t (n) values (1)`.execute(tx);
          await insert(3).finally(() => {
            late = sql`insert into t (n) values (4)`.execute(tx);
            late.catch(() => {});
          });
        },
        { timeoutMs: 50 },
      );
      const next = insert(2);
      await expect(stuck).rejects.toThrow(/longer than 50 ms and was rolled back/);
      await next;
      await setImmediate();
      expect(await stored()).toEqual([{ n: 2 }, { n: 3 }]);
      await expect(late).rejects.toThrow(/longer than 50 ms/);
    });

    it('and rejects a parameter that cannot be sent to the thread, without affecting others', async () => {
      const bad = transaction((tx) => sql`insert into t (n) values (${Symbol('odd')})`.execute(tx));
      const good = insert(1);
      await expect(bad).rejects.toThrow('Parameter 1 cannot be bound: it is a symbol.');
      await good;
      expect(await stored()).toEqual([{ n: 1 }]);
    });
  });

  // 4 MB fit into the page cache and fail at the commit; 24 MB do not and fail as a statement.
  it.each([
    [4, 'turns'],
    [24, 'turns'],
    [4, 'scripts'],
    [24, 'scripts'],
  ])(
    'rejects a whole group when %i MB of its %s do not fit on the disk, and works again afterwards',
    (megabytes, kind) => {
      // Blocks of 512 bytes; the trap makes the kernel return an error instead of sending a signal.
      const script = `trap '' XFSZ; ulimit -f 2048; exec "$0" "$@"`;
      const args = ['-c', script, process.execPath, FULL_DISK, file, String(megabytes), kind];
      const output = execFileSync('sh', args, { encoding: 'utf8' });
      expect(JSON.parse(output)).toEqual({
        group: Array(4).fill('StorageUnavailable'),
        after: 'kept',
        stored: [{ n: 5 }],
      });
    },
  );

  describe('whose thread dies', () => {
    it('rejects the running, waiting and later transactions', async () => {
      const transaction = transactionsOver(new WriteQueue(await start(DYING)));
      const query = () => transaction((tx) => sql`select 1`.execute(tx));
      const queryAndNeverEnd = () =>
        transaction(async (tx) => {
          await sql`select 1`.execute(tx).catch(() => {});
          await new Promise(() => {});
        });
      const results = await Promise.allSettled([queryAndNeverEnd(), query(), query()]);
      for (const result of results) {
        expect(result).toMatchObject({ reason: expect.any(StorageUnavailable) });
      }
      await expect(query()).rejects.toThrow(StorageUnavailable);
    });
  });
});
