import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { openPostgres, type PostgresStorage } from '../../../src/storage/postgres.ts';
import type { ReadTimeouts } from '../../../src/storage/reads/read-lanes.ts';
import { LONG_TIMEOUTS } from '../long-timeouts.ts';
import { administer, databaseUrl } from './database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Superuser's URL of the PostgreSQL server that all tests of this run share. */
    postgresUrl: string;
    /** Name of an empty database with the newest schema on that server. */
    postgresTemplate: string;
  }
}

export interface FreshPostgres {
  readonly url: string;
  /** Drops the database and ends its connections. */
  dispose(): Promise<void>;
}

/** Creates a database on the server of this run: empty, or with the newest schema. */
export async function freshPostgres(options: { migrated?: boolean } = {}): Promise<FreshPostgres> {
  const server = inject('postgresUrl');
  const name = `keyward_${randomUUID().replaceAll('-', '')}`;
  const template = options.migrated ? ` template ${inject('postgresTemplate')}` : '';
  await administer(server, `create database ${name}${template}`);
  return {
    url: databaseUrl(server, name),
    dispose: () => administer(server, `drop database if exists ${name} with (force)`),
  };
}

/** Opens storage with the newest schema in a new database. */
export async function openTestPostgres(
  options: { poolSize?: number; read?: ReadTimeouts } = {},
): Promise<{
  storage: PostgresStorage;
  url: string;
  dispose(): Promise<void>;
}> {
  const database = await freshPostgres({ migrated: true });
  const { poolSize = 6, read = LONG_TIMEOUTS.read } = options;
  const timeouts = { ...LONG_TIMEOUTS, read };
  const storage = await openPostgres({ url: database.url, poolSize, timeouts });
  return {
    storage,
    url: database.url,
    dispose: async () => {
      await storage.close();
      await database.dispose();
    },
  };
}
