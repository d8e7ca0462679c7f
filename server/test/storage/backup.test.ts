import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backupDatabase } from '../../src/storage/files/backup.ts';
import { openDataDirectory } from '../../src/storage/files/data-directory.ts';
import { restoreDatabase } from '../../src/storage/files/restore.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { openSqlite, type SqliteStorage } from '../../src/storage/sqlite.ts';

let directory: string;
let data: string;
let file: string;
let target: string;
let storage: SqliteStorage;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'keyward-backup-'));
  data = join(directory, 'data');
  target = join(directory, 'copy.db');
  const opened = openDataDirectory(data);
  file = opened.file;
  opened.release();
  storage = await openSqlite({ file });
  await migrate(storage, 0);
});
afterEach(async () => {
  await storage.close();
  rmSync(directory, { recursive: true, force: true });
});

const put = (name: string, value = '1') =>
  storage.transaction((tx) => tx.insertInto('installation').values({ name, value }).execute());

function names(path: string): string[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const rows = database.prepare('select name from installation order by name').all();
    return rows.map((row) => String(row.name));
  } finally {
    database.close();
  }
}

describe('a backup', () => {
  it('taken during constant writes ends, is complete, and is a consistent snapshot', async () => {
    await storage.transaction(async (tx) => {
      for (const name of ['left', 'right']) {
        await tx.insertInto('installation').values({ name, value: '0' }).execute();
      }
      for (let n = 0; n < 300; n++) {
        const value = 'x'.repeat(30_000);
        await tx
          .insertInto('installation')
          .values({ name: `bulk-${n}`, value })
          .execute();
      }
    });
    let writing = true;
    let written = 0;
    const writer = (async () => {
      while (writing) {
        written += 1;
        await storage.transaction(async (tx) => {
          for (const name of ['left', 'right']) {
            const value = String(written);
            await tx.updateTable('installation').set({ value }).where('name', '=', name).execute();
          }
        });
      }
    })();
    const progress: number[] = [];
    await backupDatabase({
      file,
      target,
      onProgress: ({ remainingPages }) => progress.push(remainingPages),
    });
    writing = false;
    await writer;
    const copy = new DatabaseSync(target, { readOnly: true });
    const sides = copy
      .prepare("select value from installation where name in ('left', 'right')")
      .all();
    expect(sides[0]?.value).toBe(sides[1]?.value);
    expect(copy.prepare('select count(*) as n from installation').get()).toEqual({ n: 302 });
    copy.close();
    // The remaining pages only decrease: the backup never had to start again.
    expect(progress.length).toBeGreaterThan(1);
    expect(progress).toEqual([...progress].sort((a, b) => b - a));
    expect(statSync(target).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory).sort()).toEqual(['copy.db', 'data']);
  });

  it('replaces an existing file only with --force', async () => {
    writeFileSync(target, 'precious');
    await expect(backupDatabase({ file, target })).rejects.toThrow(/already exists/);
    expect(readFileSync(target, 'utf8')).toBe('precious');
    await put('a');
    await backupDatabase({ file, target, force: true });
    expect(names(target)).toEqual(['a']);
  });

  it('of a damaged or missing database fails and leaves no file', async () => {
    const damaged = join(directory, 'damaged.db');
    const database = new DatabaseSync(damaged);
    database.exec('create table t (a); create index i on t (a)');
    const insert = database.prepare('insert into t values (?)');
    database.exec('begin');
    for (let n = 0; n < 2_000; n++) insert.run('x'.repeat(100));
    database.exec('commit');
    database.close();
    const bytes = readFileSync(damaged);
    bytes.fill(0xff, 4096 * 5, 4096 * 8);
    writeFileSync(damaged, bytes);
    await expect(backupDatabase({ file: damaged, target })).rejects.toThrow(/damaged/);
    await expect(backupDatabase({ file: `${file}.none`, target })).rejects.toThrow(/no database/);
    await expect(backupDatabase({ file, target: file })).rejects.toThrow(/itself/);
    expect(readdirSync(directory).sort()).toEqual(['damaged.db', 'data']);
  });
});

describe('a restore', () => {
  it('restores the backup and keeps the replaced database', async () => {
    await put('before');
    await backupDatabase({ file, target });
    await put('after');
    await storage.close();
    await expect(restoreDatabase({ backup: target, dataDirectory: data })).rejects.toThrow(
      /There is already a database at .*keyward\.db \(.* KB, last changed .*\)\. Add --force/,
    );
    expect(names(file)).toEqual(['after', 'before']);
    writeFileSync(`${file}-shm`, 'stale');
    await restoreDatabase({ backup: target, dataDirectory: data, force: true });
    expect(existsSync(`${file}-shm`)).toBe(false);
    expect(names(`${file}.before-restore`)).toEqual(['after', 'before']);
    storage = await openSqlite({ file });
    await migrate(storage, 0);
    const rows = await storage.read.selectFrom('installation').select('name').execute();
    expect(rows).toEqual([{ name: 'before' }]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(data).filter((name) => name.includes('unfinished'))).toEqual([]);
  });

  it('never deletes a database that an earlier restore kept', async () => {
    await put('only here');
    await storage.close();
    const empty = join(directory, 'empty');
    storage = await openSqlite({ file: join(openDataDirectory(empty).path, 'keyward.db') });
    await migrate(storage, 0);
    await backupDatabase({ file: join(empty, 'keyward.db'), target });
    const again = { backup: target, dataDirectory: data, force: true };
    expect(await restoreDatabase(again)).toBe(`${file}.before-restore`);
    expect(await restoreDatabase(again)).toBe(`${file}.before-restore-2`);
    expect(await restoreDatabase(again)).toBe(`${file}.before-restore-3`);
    expect(names(`${file}.before-restore`)).toEqual(['only here']);
  });

  it('keeps data that is only in the WAL of the replaced database, and none of it gets into the new one', async () => {
    await put('before');
    await backupDatabase({ file, target });
    await put('only-in-wal');
    // Simulates a crash: copies the files while the database is open.
    const crashed = join(directory, 'crashed');
    openDataDirectory(crashed).release();
    for (const suffix of ['', '-wal']) {
      writeFileSync(join(crashed, `keyward.db${suffix}`), readFileSync(file + suffix));
    }
    await restoreDatabase({ backup: target, dataDirectory: crashed, force: true });
    expect(names(join(crashed, 'keyward.db'))).toEqual(['before']);
    expect(names(join(crashed, 'keyward.db.before-restore'))).toEqual(['before', 'only-in-wal']);
  });

  it('replaces even a database that cannot be opened', async () => {
    await put('before');
    await backupDatabase({ file, target });
    await storage.close();
    const garbage = 'no database at all '.repeat(1_000);
    writeFileSync(file, garbage);
    writeFileSync(`${file}-wal`, 'no log at all');
    await restoreDatabase({ backup: target, dataDirectory: data, force: true });
    expect(existsSync(`${file}-wal`)).toBe(false);
    expect(names(file)).toEqual(['before']);
    expect(readFileSync(`${file}.before-restore`, 'utf8')).toBe(garbage);
    expect(readFileSync(`${file}.before-restore-wal`, 'utf8')).toBe('no log at all');
  });

  const isRoot = process.geteuid?.() === 0;
  it(`${isRoot ? 'as root' : 'by another user than root'}, leaves all files to the owner of the directory`, async () => {
    await backupDatabase({ file, target });
    await storage.close();
    rmSync(join(data, 'keyward.lock'));
    writeFileSync(file, 'no database at all '.repeat(1_000));
    writeFileSync(`${file}-wal`, 'no log at all');
    const owner = isRoot ? 65_534 : process.getuid!();
    if (isRoot) for (const path of [data, file, `${file}-wal`]) chownSync(path, owner, owner);
    await restoreDatabase({ backup: target, dataDirectory: data, force: true });
    expect(readdirSync(data).map((name) => [name, statSync(join(data, name)).uid])).toEqual([
      ['keyward.db', owner],
      ['keyward.db.before-restore', owner],
      ['keyward.db.before-restore-wal', owner],
      ['keyward.lock', owner],
    ]);
  });

  it('is refused while the directory is in use', async () => {
    await backupDatabase({ file, target });
    const opened = openDataDirectory(data);
    const attempt = restoreDatabase({ backup: target, dataDirectory: data, force: true });
    await expect(attempt).rejects.toThrow(/^Another Keyward/);
    opened.release();
  });

  it('refuses a newer schema, a foreign file and a missing file, and changes nothing', async () => {
    await put('a');
    await backupDatabase({ file, target });
    await storage.close();
    const newer = new DatabaseSync(target);
    newer.exec("insert into schema_version values (99, 'later', 0)");
    newer.close();
    const foreign = join(directory, 'foreign.db');
    new DatabaseSync(foreign).exec('create table t (a)');
    for (const [backup, message] of [
      [target, /schema version 99, newer/],
      [foreign, /not a Keyward backup/],
      [join(directory, 'none.db'), /no backup/],
    ] as const) {
      const attempt = restoreDatabase({ backup, dataDirectory: data, force: true });
      await expect(attempt).rejects.toThrow(message);
    }
    expect(readdirSync(data).sort()).toEqual(['keyward.db', 'keyward.lock']);
    expect(names(file)).toEqual(['a']);
  });
});
