import { accessSync, constants, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { syncDirectory } from './durable-files.ts';

export interface DataDirectory {
  readonly path: string;
  /** The database in it. */
  readonly file: string;
  /** Lets the next process in. */
  release(): void;
}

const LOCK = 'keyward.lock';
const PID = 'keyward.pid';

/** Held here too: a lock that nobody refers to any more is closed by the garbage collector. */
const held = new Set<DatabaseSync>();

/**
 * Takes a data directory for this process alone, and makes it first if need be. Node cannot lock a
 * file, SQLite can: an exclusive transaction on a database of its own is held until release. The
 * kernel drops it with the process, so that a killed one leaves no lock behind.
 *
 * Such locks belong to the process, and closing any descriptor of the file drops them: nothing here
 * may open keyward.lock by other means. Through SQLite a second open in this process is refused too.
 */
export function openDataDirectory(path: string): DataDirectory {
  const directory = resolve(path);
  try {
    return takeDirectory(directory);
  } catch (error) {
    throw explainedFor(directory, error);
  }
}

function takeDirectory(directory: string): DataDirectory {
  const made = mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (made !== undefined) syncDirectory(dirname(made));
  accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  const lock = new DatabaseSync(join(directory, LOCK), { timeout: 0 });
  try {
    lock.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    throw isBusy(error) ? new Error(refusal(directory)) : error;
  }
  try {
    // Only for the message that a second process prints.
    writeFileSync(join(directory, PID), `${process.pid}\n`, { mode: 0o600 });
  } catch (error) {
    lock.close();
    throw error;
  }
  held.add(lock);
  return {
    path: directory,
    file: join(directory, 'keyward.db'),
    release: () => {
      if (!lock.isOpen) return;
      rmSync(join(directory, PID), { force: true });
      held.delete(lock);
      lock.close();
    },
  };
}

/** What the codes of the system and of SQLite mean for a directory that is to hold the database. */
const CAUSES: Readonly<Record<string, string>> = {
  EACCES: 'may not be read and written by this user',
  EPERM: 'may not be read and written by this user',
  EEXIST: 'is not a directory',
  ENOTDIR: 'is not a directory',
  EROFS: 'is on a read-only file system',
  ENOSPC: 'is on a disk that is full',
  EDQUOT: 'is on a disk whose quota is used up',
};

const SQLITE_CAUSES: Readonly<Record<number, string>> = {
  8: 'holds a database that may not be written by this user',
  13: 'is on a disk that is full',
  14: 'holds a database that may not be opened by this user',
};

/** The error that a start with this directory ends with: path, cause and remedy in one sentence. */
export function explainedFor(directory: string, error: unknown): unknown {
  const { code = '', errcode = 0 } = codesOf(error);
  const cause = CAUSES[code] ?? SQLITE_CAUSES[errcode & 0xff];
  if (cause === undefined) return error;
  return new Error(
    `The data directory ${directory} ${cause}. Correct that, or choose another with KEYWARD_DATA_DIR.`,
    { cause: error },
  );
}

/** A StorageUnavailable has the error of SQLite as its cause. */
function codesOf(error: unknown): { code?: string; errcode?: number } {
  for (let each = error; each instanceof Error; each = each.cause)
    if ('errcode' in each || 'syscall' in each) return each as { code?: string; errcode?: number };
  return {};
}

const SQLITE_BUSY = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && (error as { errcode?: number }).errcode === SQLITE_BUSY;
}

function refusal(directory: string): string {
  return `Another Keyward (pid ${holder(directory)}) is using the data directory ${directory}. Stop it first, or choose another with KEYWARD_DATA_DIR.`;
}

function holder(directory: string): string {
  try {
    return readFileSync(join(directory, PID), 'utf8').trim() || 'unknown';
  } catch {
    return 'unknown';
  }
}
