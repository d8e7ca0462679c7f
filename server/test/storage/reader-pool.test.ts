import { mkdtempSync, rmSync } from 'node:fs';
import { constants, getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { StorageUnavailable } from '../../src/storage/index.ts';
import { ReaderPool } from '../../src/storage/sqlite/reader-pool.ts';
import { ReaderProcess } from '../../src/storage/sqlite/reader-process.ts';

const READER = new URL('../../src/storage/sqlite/reader-main.ts', import.meta.url);

let directory: string;
let pool: ReaderPool;
let readers: ReaderProcess[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'keyward-readers-'));
  readers = [];
});
afterEach(async () => {
  await pool.close();
  rmSync(directory, { recursive: true, force: true });
});

const start = async () => {
  const file = join(directory, 'readers.db');
  const options = { file, readOnly: false, busyTimeoutMs: 60_000, cacheKilobytes: 1024 };
  const reader = await ReaderProcess.start(READER, { ...options, unsafeSynchronousOff: true });
  readers.push(reader);
  return reader;
};

const query = (sql = 'select 1', stop = new AbortController().signal) =>
  pool.query({ kind: 'query', sql, parameters: [] }, stop);

/** Never ends, and returns nothing before it ends. */
const ENDLESS = `with recursive numbers(n) as (select 1 union all select (n + 1) % 9 from numbers)
  select count(*) from numbers`;

const failureOf = (read: Promise<unknown>) =>
  read.then(
    () => 'no error',
    (error) => error,
  );

it('starts a reader with the first query, and another one only for a query that has to wait', async () => {
  pool = new ReaderPool({ start, size: 2, growAfterMs: 10 });
  expect(readers).toHaveLength(0);
  await query();
  await query();
  expect(readers).toHaveLength(1);
  const stop = new AbortController();
  const endless = failureOf(query(ENDLESS, stop.signal));
  await query();
  expect(readers).toHaveLength(2);
  stop.abort();
  await endless;
});

it('starts a spare reader beside one that is busy for long, but not more than its size', async () => {
  pool = new ReaderPool({ start, size: 2, growAfterMs: 240_000 });
  const stop = new AbortController();
  const endless = [failureOf(query(ENDLESS, stop.signal))];
  await expect.poll(() => readers.length).toBe(2);
  await query();
  endless.push(failureOf(query(ENDLESS, stop.signal)));
  await sleep(500);
  expect(readers).toHaveLength(2);
  stop.abort();
  await Promise.all(endless);
});

it('gives a waiting query the first reader that is free', async () => {
  pool = new ReaderPool({ start, size: 2, growAfterMs: 240_000 });
  await query();
  await Promise.all([query(), query(), query()]);
  expect(readers).toHaveLength(1);
});

it('replaces a reader that was stopped during its query, and one that died while idle', async () => {
  pool = new ReaderPool({ start, size: 2, growAfterMs: 0 });
  const stop = new AbortController();
  const endless = failureOf(query(ENDLESS, stop.signal));
  await expect.poll(() => readers.length).toBe(1);
  stop.abort();
  expect(await endless).toBeInstanceOf(StorageUnavailable);
  await expect.poll(() => readers.map(({ isAlive }) => isAlive)).toEqual([false, true]);
  process.kill(readers[1]!.processId!, 'SIGKILL');
  await expect.poll(() => readers[1]!.isAlive).toBe(false);
  await query();
  expect(readers).toHaveLength(3);
});

it('leaves the processor to validations: a reader has a lower priority than the server', async () => {
  pool = new ReaderPool({ start, size: 1, growAfterMs: 0 });
  await query();
  const { PRIORITY_BELOW_NORMAL } = constants.priority;
  expect(getPriority(readers[0]!.processId)).toBeGreaterThanOrEqual(PRIORITY_BELOW_NORMAL);
});

it('reports a wrong statement without losing the reader', async () => {
  pool = new ReaderPool({ start, size: 2, growAfterMs: 0 });
  await expect(query('select x from y')).rejects.toThrow('no such table: y');
  await query();
  expect(readers).toHaveLength(1);
});

it('can be closed while it starts a reader', async () => {
  pool = new ReaderPool({ start, size: 2, growAfterMs: 0 });
  const stop = new AbortController();
  const waiting = failureOf(query('select 1', stop.signal));
  stop.abort(new Error('no longer needed'));
  expect(await waiting).toMatchObject({ message: 'no longer needed' });
  await pool.close();
  expect(readers.every(({ isAlive }) => !isAlive)).toBe(true);
});

it('is unusable while readers cannot be started, and tries again later', async () => {
  let isPossible = false;
  let tries = 0;
  pool = new ReaderPool({
    start: () => {
      tries++;
      return isPossible ? start() : Promise.reject(new Error('no memory'));
    },
    size: 2,
    growAfterMs: 0,
  });
  const failures = await Promise.all([failureOf(query()), failureOf(query())]);
  for (const failure of failures) expect(failure).toBeInstanceOf(StorageUnavailable);
  expect(() => pool.assertUsable()).toThrow('could not be started');
  expect(await failureOf(query())).toBeInstanceOf(StorageUnavailable);
  expect(tries).toBe(1);
  isPossible = true;
  await expect.poll(() => failureOf(query()), { timeout: 60_000 }).toBe('no error');
  expect(() => pool.assertUsable()).not.toThrow();
});
