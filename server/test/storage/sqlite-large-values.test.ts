import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSqlite, type SqliteStorage } from '../../src/storage/sqlite.ts';

/** Large values are passed between threads with as few copies as possible. */
let directory: string;
let storage: SqliteStorage;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'keyward-large-'));
  storage = await openSqlite({ file: join(directory, 'large.db') });
  await storage.transaction((tx) => sql`create table t (n integer, bytes blob)`.execute(tx));
});
afterEach(async () => {
  await storage.close();
  rmSync(directory, { recursive: true });
});

const bytesOf = (n: number) => new Uint8Array(200_000).fill(n);

it('a large value is read back unchanged, and the sender can send it again', async () => {
  const bytes = bytesOf(7);
  const small = Uint8Array.of(1, 2, 3);
  await storage.transaction(async (tx) => {
    await sql`insert into t values (1, ${bytes}), (2, ${small})`.execute(tx);
    await sql`insert into t values (3, ${bytes})`.execute(tx);
  });
  const read = () =>
    sql<{ n: number; bytes: Uint8Array }>`select n, bytes from t order by n`.execute(storage.read);
  for (let again = 0; again < 2; again++) {
    const { rows } = await read();
    expect(rows.map(({ n, bytes: found }) => [n, Buffer.compare(found, bytes) === 0])).toEqual([
      [1, true],
      [2, false],
      [3, true],
    ]);
    expect(rows[1]!.bytes).toEqual(small);
  }
});

it('a large value of a failed transaction is intact in the retry', async () => {
  const bytes = bytesOf(9);
  const insert = (failing: boolean) =>
    storage.transaction(async (tx) => {
      await sql`insert into t values (1, ${bytes})`.execute(tx);
      if (failing) throw new Error('on purpose');
    });
  await expect(insert(true)).rejects.toThrow('on purpose');
  await insert(false);
  const { rows } = await sql<{ bytes: Uint8Array }>`select bytes from t`.execute(storage.read);
  expect(rows.map(({ bytes: found }) => Buffer.compare(found, bytes))).toEqual([0]);
});
