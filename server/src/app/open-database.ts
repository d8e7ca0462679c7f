import { explainedFor, openDataDirectory } from '../storage/files/data-directory.ts';
import type { Storage } from '../storage/index.ts';
import { type MigrationOptions, migrate } from '../storage/migrate.ts';
import { refuseMoved } from '../storage/move/moved-mark.ts';
import type { openEmbeddedStorage } from './composition/application.ts';
import { type ClusterOptions, openServerStorage } from './composition/cluster.ts';
import type { Config } from './config.ts';

export interface OpenedDatabase {
  readonly storage: Storage;
  /** Where this node listens for changes of other nodes; undefined if there can be no others. */
  readonly listen?: NonNullable<ClusterOptions['listen']>;
  close(): Promise<void>;
}

/** Opens the configured database: PostgreSQL, or SQLite in the data directory. */
export async function openDatabase(
  config: Config,
  openEmbedded: typeof openEmbeddedStorage,
  now: number,
  migration?: MigrationOptions,
): Promise<OpenedDatabase> {
  if (config.databaseUrl === null) return openInDirectory(config.dataDir, openEmbedded);
  const { databaseUrl, databaseDirectUrl, databasePool } = config;
  const { storage, listen } = await openServerStorage(databaseUrl, databaseDirectUrl, databasePool);
  try {
    if (databaseDirectUrl !== null) await migrateDirectly(databaseDirectUrl, now, migration);
  } catch (error) {
    await storage.close();
    throw error;
  }
  return { storage, listen, close: () => storage.close() };
}

async function openInDirectory(
  dataDir: string,
  openEmbedded: typeof openEmbeddedStorage,
): Promise<OpenedDatabase> {
  const directory = openDataDirectory(dataDir);
  try {
    refuseMoved(directory.path);
    const storage = await openEmbedded(directory.file);
    return {
      storage,
      close: () => storage.close().finally(() => directory.release()),
    };
  } catch (error) {
    directory.release();
    throw explainedFor(directory.path, error);
  }
}

/** A migration may take longer than a pooler allows for a transaction. */
async function migrateDirectly(
  url: string,
  now: number,
  options?: MigrationOptions,
): Promise<void> {
  const { storage } = await openServerStorage(url, null, 2);
  await migrate(storage, now, options).finally(() => storage.close());
}
