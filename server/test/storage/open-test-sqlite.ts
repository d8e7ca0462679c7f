import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrate } from '../../src/storage/migrate.ts';
import { openSqlite, type SqliteStorage } from '../../src/storage/sqlite.ts';
import { LONG_READS } from '../harness/long-timeouts.ts';
import { SCRATCH } from '../harness/scratch.ts';

/** A database in a temporary directory. */
interface TestSqlite {
  readonly storage: SqliteStorage;
  readonly file: string;
  readonly directory: string;
  dispose(): Promise<void>;
}

/** The content of an empty database with the newest schema: writing it is faster than migrating. */
let migrated: Promise<Buffer> | undefined;

/** Opens a database with the newest schema. */
export async function openTestSqlite(readTimeouts = LONG_READS): Promise<TestSqlite> {
  migrated ??= migrateOne();
  return openIn(await migrated, readTimeouts);
}

async function openIn(content: Buffer | null, readTimeouts = LONG_READS): Promise<TestSqlite> {
  const directory = mkdtempSync(join(SCRATCH, 'keyward-storage-'));
  const file = join(directory, 'keyward.db');
  if (content !== null) writeFileSync(file, content, { mode: 0o600 });
  // Long timeouts for slow machines. No syncs, which take half of the time: the tests do not cut the power.
  const slow = { busyTimeoutMs: 60_000, transactionTimeoutMs: 240_000, readTimeouts };
  const storage = await openSqlite({ file, ...slow, unsafeSynchronousOff: true });
  return {
    storage,
    file,
    directory,
    dispose: async () => {
      await storage.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function migrateOne(): Promise<Buffer> {
  const { storage, file, directory } = await openIn(null);
  await migrate(storage, 0);
  await storage.close();
  const content = readFileSync(file);
  rmSync(directory, { recursive: true, force: true });
  return content;
}
