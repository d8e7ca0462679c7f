import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { StorageUnavailable } from '../../src/storage/index.ts';
import { ReaderPool } from '../../src/storage/sqlite/reader-pool.ts';
import { StorageThread } from '../../src/storage/sqlite/thread.ts';

const READER = new URL('../../src/storage/sqlite/reader-thread.ts', import.meta.url);

let directory: string;
let started: number;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'keyward-readers-'));
  started = 0;
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const startThread = () => {
  started += 1;
  const file = join(directory, 'readers.db');
  const options = { file, readOnly: false, busyTimeoutMs: 60_000, cacheKilobytes: 1024 };
  return StorageThread.start(READER, { ...options, unsafeSynchronousOff: true }, 'test-reader');
};

const query = (pool: ReaderPool, sql = 'select 1') =>
  pool.query({ kind: 'query', sql, parameters: [] });

/** Takes far longer than a query may wait before another thread is started. */
const SLOW = `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 2000000)
  select count(*) from numbers`;

it('has one thread until a query has to wait, then up to the maximum', async () => {
  const pool = await ReaderPool.open({ threadsMax: 2, startThread });
  await query(pool);
  await query(pool);
  expect(started).toBe(1);
  await Promise.all([query(pool, SLOW), query(pool, SLOW), query(pool, SLOW), query(pool)]);
  expect(started).toBe(2);
  await pool.close();
  expect(() => pool.assertOpen()).toThrow(StorageUnavailable);
  await expect(query(pool)).rejects.toThrow(StorageUnavailable);
});

it('can be closed while it starts another thread', async () => {
  const pool = await ReaderPool.open({ threadsMax: 2, startThread });
  const replies = [query(pool, SLOW), query(pool), query(pool)];
  await pool.close();
  expect(await Promise.all(replies)).toHaveLength(3);
  expect(started).toBe(2);
});

it('refuses all queries when another thread cannot be started', async () => {
  const pool = await ReaderPool.open({
    threadsMax: 2,
    startThread: () => (started === 0 ? startThread() : Promise.reject(new Error('no memory'))),
  });
  await Promise.allSettled([query(pool, SLOW), query(pool)]);
  await expect.poll(() => query(pool).catch((error) => error.message)).toContain('could not be');
  expect(() => pool.assertOpen()).toThrow('could not be');
  await pool.close();
});
