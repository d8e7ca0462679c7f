import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StorageUnavailable } from '../../src/storage/index.ts';
import { migrate, schemaVersion } from '../../src/storage/migrate.ts';
import { migrations } from '../../src/storage/migrations/index.ts';
import { applyPragmas } from '../../src/storage/sqlite/pragmas.ts';
import { openSqlite, type SqliteStorage } from '../../src/storage/sqlite.ts';

let directory: string;
let file: string;
let storage: SqliteStorage | undefined;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'keyward-open-'));
  file = join(directory, 'keyward.db');
});
afterEach(async () => {
  await storage?.close();
  storage = undefined;
  rmSync(directory, { recursive: true, force: true });
});

describe('every connection', () => {
  const WANTED = {
    journal_mode: 'wal',
    synchronous: 2,
    foreign_keys: 1,
    mmap_size: 0,
    temp_store: 2,
    trusted_schema: 0,
    wal_autocheckpoint: 1000,
  };
  const pragma = async (db: Kysely<never>, name: string) =>
    Object.values((await sql<object>`${sql.raw(`PRAGMA ${name}`)}`.execute(db)).rows[0]!)[0];

  it('has the pragmas required for durability and isolation', async () => {
    storage = await openSqlite({ file, busyTimeoutMs: 1234 });
    const { point, read } = storage;
    await storage.transaction(async (tx) => {
      for (const db of [tx, point, read] as unknown as Kysely<never>[]) {
        for (const [name, value] of Object.entries(WANTED)) {
          expect([name, await pragma(db, name)]).toEqual([name, value]);
        }
      }
      expect(await pragma(tx as unknown as Kysely<never>, 'busy_timeout')).toBe(1234);
    });
  });

  it('is refused if SQLite does not accept one of the pragmas', () => {
    const memory = new DatabaseSync(':memory:');
    const options = {
      readOnly: false,
      busyTimeoutMs: 1,
      cacheKilobytes: 1024,
      unsafeSynchronousOff: false,
    };
    expect(() => applyPragmas(memory, options)).toThrow(
      'SQLite has journal_mode=memory; Keyward needs wal.',
    );
    memory.close();
  });

  it('uses asynchronous commits only on request', async () => {
    storage = await openSqlite({ file, unsafeSynchronousOff: true });
    const found = storage.transaction((tx) =>
      pragma(tx as unknown as Kysely<never>, 'synchronous'),
    );
    expect(await found).toBe(0);
  });
});

describe('opening', () => {
  it('creates a file readable by its owner only, and leaves no other files when closed', async () => {
    const opened = await openSqlite({ file });
    await migrate(opened, 0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(`${file}-wal`).mode & 0o777).toBe(0o600);
    await opened.close();
    expect(readdirSync(directory)).toEqual(['keyward.db']);
  });

  it('fails for a file that is not a database, and for a missing directory', async () => {
    new DatabaseSync(join(directory, 'other')).close();
    await expect(openSqlite({ file: import.meta.filename })).rejects.toThrow(StorageUnavailable);
    await expect(openSqlite({ file: join(directory, 'no', 'keyward.db') })).rejects.toThrow(
      /ENOENT/,
    );
  });
});

describe('migrate', () => {
  it('migrates a new database, and does nothing the second time', async () => {
    storage = await openSqlite({ file });
    expect(await migrate(storage, 5)).toEqual({ from: 0, to: schemaVersion });
    expect(await migrate(storage, 6)).toEqual({ from: schemaVersion, to: schemaVersion });
    const { rows } = await sql`select version, applied_at from schema_version`.execute(
      storage.read,
    );
    expect(rows).toEqual(migrations.map(({ version }) => ({ version, applied_at: 5 })));
  });

  it('numbers its steps in ascending order, each once', () => {
    const versions = migrations.map(({ version }) => version);
    expect(versions).toEqual([...new Set(versions)].toSorted((a, b) => a - b));
  });

  it('refuses the schema of a newer version, and changes nothing', async () => {
    storage = await openSqlite({ file });
    await migrate(storage, 0);
    await storage.transaction((tx) =>
      sql`insert into schema_version values (99, 'later', 0)`.execute(tx),
    );
    await expect(migrate(storage, 0)).rejects.toThrow(
      `This database has schema version 99, newer than this Keyward knows (${schemaVersion}). Start the newer Keyward, or restore a backup made before the upgrade.`,
    );
  });

  it('keeps the completed steps if one fails', async () => {
    storage = await openSqlite({ file });
    const failing = {
      version: schemaVersion + 1,
      name: 'failing',
      async up(db: Kysely<unknown>) {
        await sql`create table half (n integer)`.execute(db);
        await sql`create table half (n integer)`.execute(db);
      },
    };
    await expect(migrate(storage, 0, { migrations: [...migrations, failing] })).rejects.toThrow(
      /\(failing\) failed/,
    );
    expect(await migrate(storage, 0)).toEqual({ from: schemaVersion, to: schemaVersion });
    await expect(sql`select * from half`.execute(storage.read)).rejects.toThrow(/no such table/);
  });
});

describe('lists', () => {
  it.each([
    ['account_id = ?', ['acc']],
    ['account_id = ? and project_id = ?', ['acc', 'prj']],
    ['account_id = ? and custom_account_id = ?', ['acc', 'x']],
    ['account_id = ? and custom_account_id is null', ['acc']],
    ['account_id = ? and custom_user_id = ?', ['acc', 'x']],
    ['account_id = ? and name = ?', ['acc', 'x']],
  ])('of keys with %s come newest first from an index, without sorting', async (where, values) => {
    storage = await openSqlite({ file });
    await migrate(storage, 0);
    await storage.close();
    storage = undefined;
    const database = new DatabaseSync(file);
    const plan = database
      .prepare(
        `explain query plan select * from api_keys where ${where} and id < 'k' order by id desc limit 10`,
      )
      .all(...values)
      .map((row) => row.detail)
      .join('\n');
    database.close();
    expect(plan).toMatch(/USING INDEX api_keys_by_/);
    expect(plan).not.toMatch(/SCAN|TEMP B-TREE/);
  });
});
