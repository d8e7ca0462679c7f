import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { StorageUnavailable } from '../../src/storage/index.ts';
import { ReaderPool } from '../../src/storage/sqlite/reader-pool.ts';
import { StorageThread } from '../../src/storage/sqlite/thread.ts';

const WRITER = new URL('../../src/storage/sqlite/writer-thread.ts', import.meta.url);

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
  return StorageThread.start(WRITER, { ...options, unsafeSynchronousOff: true }, 'test-reader');
};

// `ping` instead of `query`, because the writer thread accepts queries only within a transaction.
const ping = (pool: ReaderPool) => pool.query({ kind: 'ping' } as never);

it('has one thread until a query has to wait, then up to the maximum', async () => {
  const pool = await ReaderPool.open({ threadsMax: 2, startThread });
  await ping(pool);
  await ping(pool);
  expect(started).toBe(1);
  await Promise.all(Array.from({ length: 20 }, () => ping(pool)));
  expect(started).toBe(2);
  await pool.close();
  await expect(ping(pool)).rejects.toThrow(StorageUnavailable);
});

it('can be closed while it starts another thread', async () => {
  const pool = await ReaderPool.open({ threadsMax: 2, startThread });
  const replies = [ping(pool), ping(pool), ping(pool)];
  await pool.close();
  expect(await Promise.all(replies)).toHaveLength(3);
  expect(started).toBe(2);
});

it('refuses all queries when another thread cannot be started', async () => {
  const pool = await ReaderPool.open({
    threadsMax: 2,
    startThread: () => (started === 0 ? startThread() : Promise.reject(new Error('no memory'))),
  });
  await Promise.allSettled([ping(pool), ping(pool), ping(pool)]);
  await expect.poll(() => ping(pool).catch((error) => error.message)).toContain('could not be');
  await pool.close();
});
