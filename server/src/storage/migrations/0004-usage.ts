import { type Kysely, sql } from 'kysely';
import type { Engine } from './engine.ts';
import { index, type Migration } from './migration.ts';

export const usage: Migration = {
  version: 4,
  name: 'usage',
  async up(db, engine) {
    await projectUsage(db, engine);
    await keys(db, engine);
    await accessKeys(db, engine);
    await projects(db, engine);
    await journal(db, engine);
    await bookkeeping(db);
  },
};

const KEY_OUTCOMES = ['valid', 'rate_limited', 'revoked', 'expired', 'domain_denied'];
const ACCESS_KEY_OUTCOMES = [...KEY_OUTCOMES, 'unknown', 'malformed'];

/** Written continuously and deleted by age: the key starts with the time, and there is no other index. */
async function createRecentTable(
  db: Kysely<unknown>,
  engine: Engine,
  name: string,
  outcomes: readonly string[],
): Promise<void> {
  let table = db.schema
    .createTable(name)
    .addColumn('start', 'bigint', (c) => c.notNull())
    .addColumn('seq', engine.sequenceValue, (c) => c.notNull());
  for (const outcome of outcomes) table = table.addColumn(outcome, 'bigint', (c) => c.notNull());
  await engine
    .clustered(table.addPrimaryKeyConstraint(`${name}_primary`, ['start', 'seq']))
    .execute();
}

/** Written once a day and kept forever: the key starts with the owner, so that a query reads few rows. */
async function createLastingTable(
  db: Kysely<unknown>,
  engine: Engine,
  name: string,
  owner: string,
  outcomes: readonly string[],
): Promise<void> {
  let table = db.schema
    .createTable(name)
    .addColumn('seq', engine.sequenceValue, (c) =>
      c.notNull().references(`${owner}.seq`).onDelete('cascade'),
    )
    .addColumn('start', 'bigint', (c) => c.notNull());
  for (const outcome of outcomes) table = table.addColumn(outcome, 'bigint', (c) => c.notNull());
  await engine
    .clustered(table.addPrimaryKeyConstraint(`${name}_primary`, ['seq', 'start']))
    .execute();
}

/** Gives projects the small number that their totals are stored under. */
async function projectUsage(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('project_usage')
    .addColumn('seq', ...engine.sequence)
    .addColumn('project_id', engine.id, (c) => c.notNull().unique().references('projects.id'))
    .addColumn('first_used_at', 'bigint')
    .addColumn('last_used_at', 'bigint')
    .execute();
  await sql`
    insert into project_usage (project_id, first_used_at, last_used_at)
    select api_keys.project_id, min(key_usage.first_used_at), max(key_usage.last_used_at)
    from key_usage join api_keys on api_keys.seq = key_usage.key_seq
    group by api_keys.project_id`.execute(db);
}

async function keys(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await createRecentTable(db, engine, 'usage_minutes', KEY_OUTCOMES);
  await createRecentTable(db, engine, 'usage_quarters', KEY_OUTCOMES);
  await createLastingTable(db, engine, 'usage_days', 'api_keys', KEY_OUTCOMES);
  await createLastingTable(db, engine, 'usage_months', 'api_keys', KEY_OUTCOMES);
}

async function accessKeys(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await createRecentTable(db, engine, 'access_usage_minutes', ACCESS_KEY_OUTCOMES);
  await createRecentTable(db, engine, 'access_usage_quarters', ACCESS_KEY_OUTCOMES);
  await createLastingTable(db, engine, 'access_usage_days', 'access_keys', ACCESS_KEY_OUTCOMES);
}

async function projects(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await createRecentTable(db, engine, 'project_minutes', KEY_OUTCOMES);
  await createRecentTable(db, engine, 'project_quarters', KEY_OUTCOMES);
  await createLastingTable(db, engine, 'project_days', 'project_usage', KEY_OUTCOMES);
}

/** Large batches as they were flushed, until they are added to the minutes of their keys. */
async function journal(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('usage_journal')
    .addColumn('id', ...engine.sequence)
    .addColumn('minute', 'bigint', (c) => c.notNull())
    .addColumn('entries', engine.bytes, (c) => c.notNull())
    .addColumn('folding', 'integer', (c) => c.notNull())
    .execute();
}

async function bookkeeping(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('usage_flushes')
    .addColumn('node_id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('batch', 'bigint', (c) => c.notNull())
    .addColumn('flushed_at', 'bigint', (c) => c.notNull())
    .execute();
  await index(db, 'usage_flushes', ['flushed_at']);
  await db.schema
    .createTable('usage_watermarks')
    .addColumn('level', 'text', (c) => c.primaryKey().notNull())
    .addColumn('rolled_until', 'bigint', (c) => c.notNull())
    .addColumn('cursor', 'bigint', (c) => c.notNull())
    .execute();
  const levels = ['key', 'access-key', 'project'].flatMap((owner) => [
    `${owner} minutes`,
    `${owner} quarters`,
  ]);
  for (const level of ['key journal', ...levels])
    await sql`insert into usage_watermarks (level, rolled_until, cursor) values (${level}, 0, 0)`.execute(
      db,
    );
}
