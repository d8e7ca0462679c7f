import { existsSync } from 'node:fs';
import { Kysely } from 'kysely';
import type { Database } from '../index.ts';
import { assertKnownVersion, schemaVersion } from '../migrate.ts';
import { Connection } from '../sqlite/connection.ts';
import { sqliteDialect } from '../sqlite/dialect.ts';
import { versionOfFile } from './copy-database.ts';

export interface ReadOnlyDatabase {
  readonly db: Kysely<Database>;
  close(): void;
}

/**
 * Opens a database that a server may be using at the same time: one connection on this thread, for
 * CLI commands, which may block.
 */
export function openReadOnly(file: string): ReadOnlyDatabase {
  assertCurrent(file);
  const connection = new Connection({
    file,
    readOnly: true,
    busyTimeoutMs: 5_000,
    cacheKilobytes: 8 << 10,
    unsafeSynchronousOff: false,
  });
  const dialect = sqliteDialect(async ({ sql, parameters }) => connection.query(sql, parameters));
  return { db: new Kysely<Database>({ dialect }), close: () => connection.close() };
}

/** Throws if the file is not a Keyward database with the current schema. */
export function assertCurrent(file: string): void {
  if (!existsSync(file)) throw new Error(`There is no database at ${file}.`);
  const version = versionOfFile(file);
  if (version === undefined) throw new Error(`${file} is not a Keyward database.`);
  assertKnownVersion(version);
  if (version < schemaVersion)
    throw new Error(
      `${file} has schema version ${version}; this Keyward needs ${schemaVersion}. Start the server once, or run: npx keyward migrate`,
    );
}
