import { randomUUID } from 'node:crypto';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type CopyProgress, copyDatabase } from './copy-database.ts';
import { syncDirectory } from './durable-files.ts';

export interface BackupOptions {
  readonly file: string;
  readonly target: string;
  /** Replace a target that already exists. */
  readonly force?: boolean;
  readonly onProgress?: (progress: CopyProgress) => void;
}

/** Copies the database to one file, even while a server writes to it. */
export async function backupDatabase(options: BackupOptions): Promise<void> {
  if (!existsSync(options.file)) throw new Error(`There is no database at ${options.file}.`);
  const target = resolve(options.target);
  if (target === resolve(options.file)) throw new Error('The target is the database itself.');
  if (existsSync(target) && !options.force) {
    throw new Error(`${target} already exists. Choose another name, or use --force.`);
  }
  // In the directory of the target: a rename is atomic only within one file system.
  const unfinished = `${target}.${randomUUID()}.unfinished`;
  try {
    await copyDatabase(options.file, unfinished, options.onProgress);
    renameSync(unfinished, target);
    syncDirectory(dirname(target));
  } finally {
    for (const suffix of ['', '-journal', '-wal', '-shm']) {
      rmSync(unfinished + suffix, { force: true });
    }
  }
}
