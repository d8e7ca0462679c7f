import { backup, DatabaseSync } from 'node:sqlite';
import { createPrivateFile, syncFile } from './durable-files.ts';

export interface CopyProgress {
  readonly totalPages: number;
  readonly remainingPages: number;
}

const PAGES_PER_STEP = 1_000;

/**
 * Copies a database that may be in use into a new file: complete, checked and durable.
 *
 * The open read transaction pins one snapshot of the source. Without it SQLite restarts the copy
 * after every write of another connection, and under steady writes the copy would never finish.
 */
export async function copyDatabase(
  source: string,
  target: string,
  onProgress?: (progress: CopyProgress) => void,
): Promise<void> {
  createPrivateFile(target);
  const database = new DatabaseSync(source, { readOnly: true, timeout: 5_000 });
  try {
    database.exec('BEGIN');
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    await backup(database, target, {
      rate: PAGES_PER_STEP,
      ...(onProgress && { progress: onProgress }),
    });
  } finally {
    database.close();
  }
  checkDatabase(target);
  syncFile(target);
}

function checkDatabase(file: string): void {
  const lines = quickCheck(file);
  if (lines[0] === 'ok') return;
  throw new Error(`The database is damaged: ${lines.slice(0, 3).join('; ')}.`);
}

/** Returns the problems that SQLite finds, or `ok`. It reports some damage as rows, some as an error. */
function quickCheck(file: string): string[] {
  const database = new DatabaseSync(file, { returnArrays: true });
  try {
    // DELETE mode needs no WAL file, so the copy can be read from read-only media.
    database.prepare('PRAGMA journal_mode = DELETE').get();
    const rows = database.prepare('PRAGMA quick_check').all() as unknown as string[][];
    return rows.flat();
  } catch (error) {
    return [(error as Error).message];
  } finally {
    database.close();
  }
}

/** The schema version of a database file, or undefined if it is not a Keyward database. */
export function versionOfFile(file: string): number | undefined {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const row = database.prepare('SELECT max(version) AS version FROM schema_version').get();
    return typeof row?.version === 'number' ? row.version : undefined;
  } catch {
    return undefined;
  } finally {
    database.close();
  }
}
