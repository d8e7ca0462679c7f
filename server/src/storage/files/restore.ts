import { randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { assertKnownVersion } from '../migrate.ts';
import { copyDatabase, versionOfFile } from './copy-database.ts';
import { openDataDirectory } from './data-directory.ts';
import { giveToOwnerOfDirectory, syncDirectory } from './durable-files.ts';

export interface RestoreOptions {
  readonly backup: string;
  readonly dataDirectory: string;
  /** Replace an existing database. It is kept as keyward.db.before-restore, or with a number added. */
  readonly force?: boolean;
}

/**
 * Replaces the database with a backup. Refused while a server uses the directory. Returns the path under
 * which the replaced database is kept, or null if there was none.
 */
export async function restoreDatabase(options: RestoreOptions): Promise<string | null> {
  const backup = resolve(options.backup);
  if (!existsSync(backup)) throw new Error(`There is no backup at ${backup}.`);
  // Before the data directory is created: of a wrong file, nothing must remain.
  if (versionOfFile(backup) === undefined) throw new Error(`${backup} is not a Keyward backup.`);
  const directory = openDataDirectory(options.dataDirectory);
  const unfinished = `${directory.file}.${randomUUID()}.unfinished`;
  try {
    if (existsSync(directory.file) && !options.force) {
      const { size, mtime } = statSync(directory.file);
      throw new Error(
        `There is already a database at ${directory.file} (${Math.ceil(size / 1024).toLocaleString('en-GB')} KB, last changed ${mtime.toISOString()}). Add --force to replace it; it is then kept as keyward.db.before-restore.`,
      );
    }
    await copyDatabase(backup, unfinished);
    const version = versionOfFile(unfinished);
    if (version === undefined) throw new Error(`${backup} is not a Keyward backup.`);
    assertKnownVersion(version);
    giveToOwnerOfDirectory(unfinished);
    const kept = existsSync(directory.file) ? keepPrevious(directory.file) : null;
    renameSync(unfinished, directory.file);
    syncDirectory(directory.path);
    return kept;
  } finally {
    for (const suffix of ['', '-journal', '-wal', '-shm']) {
      rmSync(unfinished + suffix, { force: true });
    }
    directory.release();
  }
}

/**
 * Keeps the old database under another name, and returns that name. SQLite would replay a leftover WAL into
 * the new database and corrupt it, so the WAL is removed first. Normally it is checkpointed before that, so
 * that the old database is complete until the rename replaces it. A database too damaged for a checkpoint is
 * kept unchanged, with its WAL.
 */
function keepPrevious(file: string): string {
  const kept = unusedName(`${file}.before-restore`);
  if (existsSync(`${file}-wal`)) {
    // A copy, because SQLite deletes a WAL that it cannot read.
    copyFileSync(`${file}-wal`, `${kept}-wal`);
    giveToOwnerOfDirectory(`${kept}-wal`);
    if (checkpointWal(file)) rmSync(`${kept}-wal`);
  }
  linkSync(file, kept);
  for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
  syncDirectory(dirname(file));
  return kept;
}

/** Never overwrites a database that an earlier restore kept: it may be the only copy. */
function unusedName(name: string): string {
  const isUsed = (path: string) => ['', '-wal', '-shm'].some((suffix) => existsSync(path + suffix));
  let path = name;
  for (let n = 2; isUsed(path); n++) path = `${name}-${n}`;
  return path;
}

function checkpointWal(file: string): boolean {
  const database = new DatabaseSync(file);
  try {
    return database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0;
  } catch {
    return false;
  } finally {
    database.close();
  }
}
