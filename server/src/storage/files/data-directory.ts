import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { giveToOwnerOfDirectory, syncDirectory } from './durable-files.ts';

export interface DataDirectory {
  readonly path: string;
  /** Path of the database. */
  readonly file: string;
  /** Releases the lock. */
  release(): void;
}

const LOCK = 'keyward.lock';
const PID = 'keyward.pid';
const DATABASE = 'keyward.db';

/** Keeps a reference: the garbage collector would close an unreferenced database, and release its lock. */
const openLocks = new Set<DatabaseSync>();

/**
 * Locks a data directory for this process, and creates it if it is missing. Node cannot lock a file,
 * but SQLite can: an exclusive transaction on a separate database stays open until release. The
 * operating system drops the lock when the process ends, so a killed process leaves no lock behind.
 *
 * These locks belong to the process, and closing any descriptor of the file drops them: never open
 * keyward.lock except through SQLite, which also refuses a second lock in the same process.
 */
export function openDataDirectory(path: string): DataDirectory {
  const directory = resolve(path);
  try {
    return lockDirectory(directory);
  } catch (error) {
    throw explainedFor(directory, error);
  }
}

/**
 * Locks the data directory of an existing database. For commands that need one: a misspelled path must create
 * nothing. Throws if there is no database.
 */
export function openExistingDirectory(path: string): DataDirectory {
  const file = join(resolve(path), DATABASE);
  if (existsSync(file)) return openDataDirectory(path);
  throw new Error(
    `There is no database at ${file}. Set the data directory with --data-dir or KEYWARD_DATA_DIR.`,
  );
}

function lockDirectory(directory: string): DataDirectory {
  const made = mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (made !== undefined) syncDirectory(dirname(made));
  accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  const lock = new DatabaseSync(join(directory, LOCK), { timeout: 0 });
  try {
    giveToOwnerOfDirectory(join(directory, LOCK));
    // The journal is in memory, because the lock must be possible on a full disk.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    throw isBusy(error) ? new Error(refusal(directory)) : error;
  }
  try {
    // Only for the message that a second process prints, so a full disk does not matter.
    writeFileSync(join(directory, PID), `${process.pid}\n`, { mode: 0o600 });
    giveToOwnerOfDirectory(join(directory, PID));
  } catch (error) {
    if (!isNoSpace(error)) {
      lock.close();
      throw error;
    }
  }
  openLocks.add(lock);
  return {
    path: directory,
    file: join(directory, DATABASE),
    release: () => {
      if (!lock.isOpen) return;
      rmSync(join(directory, PID), { force: true });
      openLocks.delete(lock);
      lock.close();
    },
  };
}

const NO_SPACE = new Set(['ENOSPC', 'EDQUOT']);

export const isNoSpace = (error: unknown): boolean =>
  NO_SPACE.has((error as NodeJS.ErrnoException).code ?? '');

/** Meaning of system error codes, and below of SQLite error codes, for the data directory. */
const CAUSES: Readonly<Record<string, string>> = {
  EACCES: 'cannot be read and written by this user',
  EPERM: 'cannot be read and written by this user',
  EEXIST: 'is not a directory',
  ENOTDIR: 'is not a directory',
  EROFS: 'is on a read-only file system',
  ENOSPC: 'is on a disk that is full',
  EDQUOT: 'is on a disk whose quota is exhausted',
};

const SQLITE_CAUSES: Readonly<Record<number, string>> = {
  8: 'contains a database that this user cannot write',
  13: 'is on a disk that is full',
  14: 'contains a database that this user cannot open',
};

/** Converts an error into one that names the directory, the cause and the remedy, if the code is known. */
export function explainedFor(directory: string, error: unknown): unknown {
  const { code = '', errcode = 0 } = codesOf(error);
  const cause = CAUSES[code] ?? SQLITE_CAUSES[errcode & 0xff];
  if (cause === undefined) return error;
  return new Error(
    `The data directory ${directory} ${cause}. Correct that, or choose another with KEYWARD_DATA_DIR.`,
    { cause: error },
  );
}

/** Searches the causes too: a StorageUnavailable has the SQLite error as its cause. */
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
