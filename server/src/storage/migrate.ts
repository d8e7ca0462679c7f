import type { Kysely } from 'kysely';
import type { Storage } from './index.ts';
import { engineOf } from './migrations/engine.ts';
import { migrations as ours } from './migrations/index.ts';
import type { Migration } from './migrations/migration.ts';

interface VersionDatabase {
  schema_version: { version: number; name: string; applied_at: number };
  /** For older code: `compatible_from` is the oldest schema whose code works with this version. */
  schema_compatibility: { version: number; compatible_from: number };
}

export interface MigrationResult {
  readonly from: number;
  readonly to: number;
}

const LOCK = 'migrate';

/** The newest schema version of this Keyward. */
export const schemaVersion = latest(ours);

/** A new index over millions of rows can take arbitrarily long, and other nodes wait for it. */
const NO_TIMEOUT = { timeoutMs: Number.POSITIVE_INFINITY };

/**
 * Migrates the schema to the newest version. Each migration is one transaction, so that a crash leaves
 * complete migrations only. Nodes that start together take turns under a lock: the first one applies
 * a migration, the others skip it. A newer schema that is compatible with this code stays unchanged:
 * docs/decisions/0032-rolling-upgrades.md.
 */
export async function migrate(
  storage: Storage,
  now: number,
  migrations: readonly Migration[] = ours,
): Promise<MigrationResult> {
  const known = latest(migrations);
  const { version: from, worksFrom } = await prepare(storage);
  if (known < worksFrom) assertKnownVersion(from, known);
  let oldest = 0;
  for (const migration of migrations) {
    oldest = Math.max(oldest, migration.compatibleFrom?.[storage.engine] ?? 0);
    if (migration.version > from) await apply(storage, migration, oldest, now);
  }
  return { from, to: Math.max(from, known) };
}

export function assertKnownVersion(version: number, known = schemaVersion): void {
  if (version <= known) return;
  throw new Error(
    `This database has schema version ${version}, newer than this Keyward knows (${known}). Start the newer Keyward, or restore a backup made before the upgrade.`,
  );
}

function latest(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.version ?? 0;
}

async function prepare(storage: Storage): Promise<{ version: number; worksFrom: number }> {
  return storage.transaction(async (tx) => {
    const db = tx as unknown as Kysely<VersionDatabase>;
    await storage.lock(tx, LOCK);
    await db.schema
      .createTable('schema_version')
      .ifNotExists()
      .addColumn('version', 'integer', (c) => c.primaryKey().notNull())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('applied_at', 'bigint', (c) => c.notNull())
      .execute();
    await db.schema
      .createTable('schema_compatibility')
      .ifNotExists()
      .addColumn('version', 'integer', (c) => c.primaryKey().notNull())
      .addColumn('compatible_from', 'integer', (c) => c.notNull())
      .execute();
    const version = await versionIn(db);
    return { version, worksFrom: await worksFrom(db, version) };
  }, NO_TIMEOUT);
}

/** Without an entry, a schema works only with code that knows it. */
async function worksFrom(db: Kysely<VersionDatabase>, version: number): Promise<number> {
  const row = await db
    .selectFrom('schema_compatibility')
    .select('compatible_from')
    .where('version', '=', version)
    .executeTakeFirst();
  return row?.compatible_from ?? version;
}

async function versionIn(db: Kysely<VersionDatabase>): Promise<number> {
  const row = await db
    .selectFrom('schema_version')
    .select((eb) => eb.fn.max('version').as('version'))
    .executeTakeFirst();
  return row?.version ?? 0;
}

async function apply(
  storage: Storage,
  migration: Migration,
  oldest: number,
  now: number,
): Promise<void> {
  const { version, name } = migration;
  const step = storage.transaction(async (tx) => {
    const db = tx as unknown as Kysely<VersionDatabase>;
    await storage.lock(tx, LOCK);
    if ((await versionIn(db)) >= version) return;
    await migration.up(tx as unknown as Kysely<unknown>, engineOf(storage.engine));
    await db.insertInto('schema_version').values({ version, name, applied_at: now }).execute();
    await db
      .insertInto('schema_compatibility')
      .values({ version, compatible_from: oldest })
      .execute();
  }, NO_TIMEOUT);
  await step.catch((cause: Error) => {
    const message = `Migration ${version} (${name}) failed and was rolled back: ${cause.message}`;
    throw new Error(message, { cause });
  });
}
