import type { Kysely } from 'kysely';
import type { Storage } from './index.ts';
import { engineOf } from './migrations/engine.ts';
import { migrations as ours } from './migrations/index.ts';
import type { Migration } from './migrations/migration.ts';

interface VersionDatabase {
  schema_version: { version: number; name: string; applied_at: number };
}

export interface MigrationResult {
  readonly from: number;
  readonly to: number;
}

const LOCK = 'migrate';

/** The newest schema this Keyward knows. */
export const schemaVersion = latest(ours);

/** A new index over millions of rows takes as long as it takes, and other nodes wait for it. */
const UNHURRIED = { timeoutMs: Number.POSITIVE_INFINITY };

/**
 * Brings the schema up to date. Each step is one transaction, so that a crash leaves whole steps.
 * Nodes that start together take turns: each step is made by whoever comes first.
 */
export async function migrate(
  storage: Storage,
  now: number,
  migrations: readonly Migration[] = ours,
): Promise<MigrationResult> {
  const from = await prepare(storage);
  assertKnownVersion(from, latest(migrations));
  for (const migration of migrations)
    if (migration.version > from) await apply(storage, migration, now);
  return { from, to: latest(migrations) };
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

async function prepare(storage: Storage): Promise<number> {
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
    return versionIn(db);
  }, UNHURRIED);
}

async function versionIn(db: Kysely<VersionDatabase>): Promise<number> {
  const row = await db
    .selectFrom('schema_version')
    .select((eb) => eb.fn.max('version').as('version'))
    .executeTakeFirst();
  return row?.version ?? 0;
}

async function apply(storage: Storage, migration: Migration, now: number): Promise<void> {
  const { version, name } = migration;
  const step = storage.transaction(async (tx) => {
    const db = tx as unknown as Kysely<VersionDatabase>;
    await storage.lock(tx, LOCK);
    if ((await versionIn(db)) >= version) return;
    await migration.up(tx as unknown as Kysely<unknown>, engineOf(storage.engine));
    await db.insertInto('schema_version').values({ version, name, applied_at: now }).execute();
  }, UNHURRIED);
  await step.catch((cause: unknown) => {
    throw new Error(`Migration ${version} (${name}) failed and was rolled back.`, { cause });
  });
}
