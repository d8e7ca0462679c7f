import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Connection } from './connection.ts';
import { GroupTransaction } from './group-transaction.ts';
import type { ScriptRequest } from './wire.ts';

/** What was told done must be done: also when it has to be done again, and goes otherwise. */
describe('a group in which a script fails', () => {
  let directory: string;
  let connection: Connection;
  let group: GroupTransaction;
  /** How often `second()` was asked. */
  let asked = 0;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'keyward-group-'));
    connection = connect();
    connection.database.exec('create table t (n integer unique)');
    asked = 0;
    // 0 when it is asked first, and 1 from then on.
    connection.database.function('second', () => (asked++ > 0 ? 1 : 0));
    group = new GroupTransaction(connection);
  });
  afterEach(() => {
    connection.close();
    rmSync(directory, { recursive: true });
  });

  const connect = () =>
    new Connection({
      file: join(directory, 'group.db'),
      readOnly: false,
      busyTimeoutMs: 0,
      cacheKilobytes: 1024,
      unsafeSynchronousOff: false,
    });
  const script = (guard: string | null, ...steps: string[]): ScriptRequest => ({
    kind: 'script',
    guards: guard === null ? 0 : 1,
    steps: [...(guard === null ? [] : [guard]), ...steps].map((sql) => ({ sql, parameters: [] })),
  });
  const failing = script(null, 'insert into t values (8)', 'insert into t values (8)');
  const stored = () => connection.query('select n from t order by n', []).rows?.flat();

  it('has the others run again', () => {
    expect(group.script(script(null, 'insert into t values (1)'))).toEqual({});
    expect(() => group.script(failing)).toThrow('UNIQUE');
    expect(group.script(script(null, 'insert into t values (2)'))).toEqual({});
    expect(group.commit()).toEqual({});
    expect(stored()).toEqual([1, 2]);
  });

  it.each([
    ['is guarded', script('select 1 where second()', 'insert into t values (1)')],
    [
      'fails',
      script(
        null,
        'insert into t select case second() when 0 then 1 else abs(-9223372036854775808) end',
      ),
    ],
  ])('is lost when one of them %s the second time', (_, other) => {
    expect(group.script(other)).toEqual({});
    expect(() => group.script(failing)).toThrow('UNIQUE');
    expect(asked).toBe(2);
    expect(group.script(script(null, 'insert into t values (2)')).failure).toBeDefined();
    expect(group.commit().failure).toBeDefined();
    expect(stored()).toEqual([]);
    group.script(script(null, 'insert into t values (3)'));
    expect(group.commit()).toEqual({});
    expect(stored()).toEqual([3]);
  });

  it('is lost when somebody else has the database by then', () => {
    const other = connect();
    const { exec } = connection.database;
    connection.database.exec = (sql) => {
      exec.call(connection.database, sql);
      if (sql === 'ROLLBACK') other.database.exec('BEGIN IMMEDIATE');
    };
    group.script(script(null, 'insert into t values (1)'));
    expect(() => group.script(failing)).toThrow('UNIQUE');
    expect(group.commit().failure?.message).toContain('locked');
    other.database.exec('ROLLBACK');
    other.close();
    expect(stored()).toEqual([]);
  });

  it('is lost when SQLite has ended the transaction by itself', () => {
    group.script(script(null, 'insert into t values (1)'));
    connection.database.exec('ROLLBACK');
    expect(group.script(script(null, 'insert into t values (2)')).failure).toBeDefined();
    expect(group.commit().failure?.message).toContain('ended unnoticed');
    expect(stored()).toEqual([]);
  });

  it('is not begun again when there is nothing to run again', () => {
    expect(() => group.script(failing)).toThrow('UNIQUE');
    expect(connection.database.isTransaction).toBe(false);
    group.script(script(null, 'insert into t values (1)'));
    expect(group.commit()).toEqual({});
    expect(stored()).toEqual([1]);
  });
});
