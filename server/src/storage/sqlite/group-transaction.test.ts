import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Connection } from './connection.ts';
import { GroupTransaction } from './group-transaction.ts';
import type { ScriptRequest } from './messages.ts';

describe('a group transaction', () => {
  let directory: string;
  let connection: Connection;
  let group: GroupTransaction;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'keyward-group-'));
    connection = connect();
    connection.database.exec('create table t (n integer unique)');
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

  it('rolls back only the failed script', () => {
    expect(group.script(script(null, 'insert into t values (1)'))).toEqual({});
    expect(() => group.script(failing)).toThrow('UNIQUE');
    expect(group.script(script(null, 'insert into t values (2)'))).toEqual({});
    expect(group.commit()).toEqual({});
    expect(stored()).toEqual([1, 2]);
  });

  it('is lost if SQLite has ended the transaction by itself', () => {
    group.script(script(null, 'insert into t values (1)'));
    connection.database.exec('ROLLBACK');
    expect(group.script(script(null, 'insert into t values (2)')).failure).toBeDefined();
    expect(group.commit().failure?.message).toContain('by itself');
    expect(stored()).toEqual([]);
  });

  it('is lost if another process has locked the database', () => {
    const other = connect();
    other.database.exec('BEGIN IMMEDIATE');
    expect(group.script(script(null, 'insert into t values (1)')).failure).toBeDefined();
    expect(group.commit().failure?.message).toContain('locked');
    other.database.exec('ROLLBACK');
    other.close();
    expect(stored()).toEqual([]);
  });
});
