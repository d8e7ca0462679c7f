import { setTimeout as pause } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Storage } from './index.ts';
import { engineOf } from './migrations/engine.ts';
import { migrations as ours } from './migrations/index.ts';
import type { Migration } from './migrations/migration.ts';
import { isLockTimeout } from './postgres/errors.ts';
import { limitTableWaits, oldestTransaction } from './postgres/table-waits.ts';

interface VersionDatabase {
  schema_version: { version: number; name: string; applied_at: number };
  /** For older code: `compatible_from` is the oldest schema whose code works with this version. */
  schema_compatibility: { version: number; compatible_from: number };
}

export interface MigrationResult {
  readonly from: number;
  readonly to: number;
}

export interface MigrationOptions {
  /** Default: all migrations of this Keyward. */
  readonly migrations?: readonly Migration[];
  /** Receives a sentence whenever a migration has to wait for a table. */
  readonly onWait?: (message: string) => void;
}

const LOCK = 'migrate';

/** The newest schema version of this Keyward. */
export const schemaVersion = latest(ours);

/** A new index over millions of rows can take arbitrarily long, and other nodes wait for it. */
const NO_TIMEOUT = { timeoutMs: Number.POSITIVE_INFINITY };

/** Pause before a migration that could not lock a table is tried again. Doubles up to the maximum. */
const PAUSE_MS = 2_000;
const PAUSE_MS_MAX = 30_000;

/**
 * Migrates the schema to the newest version. Each migration is one transaction, so that a crash leaves
 * complete migrations only. Nodes that start together take turns under a lock: the first one applies
 * a migration, the others skip it. A newer schema that is compatible with this code stays unchanged:
 * docs/decisions/0032-rolling-upgrades.md.
 */
export async function migrate(
  storage: Storage,
  now: number,
  { migrations = ours, onWait }: MigrationOptions = {},
): Promise<MigrationResult> {
  const known = latest(migrations);
  const { version: from, worksFrom } = await prepare(storage);
  if (known < worksFrom) assertKnownVersion(from, known);
  // Nodes may have excluded older code since the last migration.
  let oldest = from === 0 ? 0 : worksFrom;
  for (const migration of migrations) {
    const { compatibleFrom, newIsCompatibleFrom = 0 } = migration;
    oldest = Math.max(oldest, compatibleFrom?.[storage.engine] ?? 0);
    if (from === 0) oldest = Math.max(oldest, newIsCompatibleFrom);
    if (migration.version > from) await apply(storage, { migration, oldest, now }, onWait);
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
  return storage.transaction(
    async (tx) => {
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
      // Normally nothing changes here, and a full disk must not prevent the start.
    },
    { ...NO_TIMEOUT, allowedOnFullDisk: true },
  );
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

interface Step {
  readonly migration: Migration;
  /** The oldest schema whose code works after this migration. */
  readonly oldest: number;
  readonly now: number;
}

/** Repeats a step that could not lock a table in time: see postgres/table-waits.ts. */
async function apply(
  storage: Storage,
  step: Step,
  onWait: MigrationOptions['onWait'],
): Promise<void> {
  const title = `Migration ${step.migration.version} (${step.migration.name})`;
  for (let pauseMs = PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MS_MAX)) {
    try {
      return await applyOnce(storage, step);
    } catch (cause) {
      const { message } = cause as Error;
      if (!isLockTimeout(cause))
        throw new Error(`${title} failed and was rolled back: ${message}`, { cause });
    }
    const blocker = await oldestTransaction(storage.read);
    onWait?.(
      `${title} waits for a table that another transaction uses. ${blocker}Trying again in ${pauseMs / 1000} s.`,
    );
    await pause(pauseMs);
  }
}

async function applyOnce(storage: Storage, { migration, oldest, now }: Step): Promise<void> {
  const { version, name } = migration;
  await storage.transaction(async (tx) => {
    const db = tx as unknown as Kysely<VersionDatabase>;
    await storage.lock(tx, LOCK);
    if ((await versionIn(db)) >= version) return;
    if (storage.engine === 'postgres') await limitTableWaits(tx);
    await migration.up(tx as unknown as Kysely<unknown>, engineOf(storage.engine));
    await db.insertInto('schema_version').values({ version, name, applied_at: now }).execute();
    await db
      .insertInto('schema_compatibility')
      .values({ version, compatible_from: oldest })
      .execute();
  }, NO_TIMEOUT);
}
