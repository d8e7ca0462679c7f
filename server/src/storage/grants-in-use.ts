import { type Kysely, sql } from 'kysely';
import type { Database } from './schema/index.ts';
import type { Tx } from './storage.ts';

/** The schema whose code knows grants of credits. */
export const GRANTS_VERSION = 34;
/** Nodes that know no grants may not start any more, but some may still run. */
const CLOSING_VERSION = GRANTS_VERSION - 1;

/** Whether no node is left that does not know grants, so that rows of pools may have them. */
export async function areGrantsInUse(db: Kysely<Database>): Promise<boolean> {
  return (await oldestVersion(db)) >= GRANTS_VERSION;
}

/** The oldest schema whose code may start. */
async function oldestVersion(db: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{ oldest: number | null }>`
    select max(compatible_from) as oldest from schema_compatibility`.execute(db);
  return rows[0]?.oldest ?? 0;
}

/** Excludes nodes that know no grants from starting. */
export const excludeOlderNodes = (tx: Tx): Promise<void> => exclude(tx, CLOSING_VERSION);

/** To be called when no such node has run for a while. */
export const useGrants = (tx: Tx): Promise<void> => exclude(tx, GRANTS_VERSION);

async function exclude(tx: Tx, version: number): Promise<void> {
  await sql`update schema_compatibility set compatible_from = ${version}
    where version >= ${version} and compatible_from < ${version}`.execute(tx);
}
