import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../../src/storage/migrate.ts';
import { openSqlite, type SqliteStorage } from '../../src/storage/sqlite.ts';

/** A migrated database in a directory of its own. */
export async function openTestSqlite(): Promise<{
  storage: SqliteStorage;
  file: string;
  directory: string;
  dispose(): Promise<void>;
}> {
  const directory = mkdtempSync(join(tmpdir(), 'keyward-storage-'));
  const file = join(directory, 'keyward.db');
  const storage = await openSqlite({ file });
  await migrate(storage, 0);
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
