import { type Kysely, sql } from 'kysely';
import { systemClock } from '../../kernel/time/clock.ts';
import type { Engine } from './engine.ts';
import { index, type Migration } from './migration.ts';

/** Notices about keys, usage and audit events, and the format of webhooks. */
export const signals: Migration = {
  version: 19,
  name: 'notices of expiry, limits and credits; usage and audit events; CloudEvents',
  async up(db, engine) {
    await db.schema.alterTable('projects').addColumn('notices', 'text').execute();
    await db.schema.alterTable('projects').addColumn('usage_events', 'text').execute();
    await db.schema
      .alterTable('webhooks')
      .addColumn('format', 'text', (c) => c.notNull().defaultTo('standard'))
      .execute();
    await db.schema.alterTable('credit_pools').addColumn('starting_balance', 'bigint').execute();
    await db.schema
      .alterTable('credit_pools')
      .addColumn('noticed', 'integer', (c) => c.notNull().defaultTo(0))
      .execute();
    await expiry(db, engine);
    await thresholds(db, engine);
    await streams(db, engine);
  },
};

async function expiry(db: Kysely<unknown>, engine: Engine): Promise<void> {
  // No foreign key to api_keys: the rows of erased keys are removed when they are due.
  await db.schema
    .createTable('expiry_schedule')
    .addColumn('key_seq', engine.sequenceValue, (c) => c.primaryKey().notNull())
    .addColumn('due_at', 'bigint', (c) => c.notNull())
    .execute();
  await index(db, 'expiry_schedule', ['due_at']);
  await db.schema
    .createTable('expiry_rescans')
    .addColumn('project_id', engine.id, (c) => c.primaryKey().notNull())
    .addColumn('after_id', engine.id, (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('expiry_notices')
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('key_seq', engine.sequenceValue, (c) => c.notNull())
    .addColumn('step', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('expiry_notices_once', ['expires_at', 'key_seq', 'step'])
    .execute();
  await sql`insert into expiry_schedule (key_seq, due_at)
    select seq, 0 from api_keys where expires_at is not null and is_active = 1`.execute(db);
  await (engine.name === 'sqlite' ? sqliteTriggers(db) : postgresTriggers(db));
}

/** Triggers, so that no code that writes keys can forget the schedule. */
async function sqliteTriggers(db: Kysely<unknown>): Promise<void> {
  const schedule = sql`insert into expiry_schedule (key_seq, due_at) values (new.seq, 0)
    on conflict (key_seq) do update set due_at = 0;`;
  await sql`create trigger schedule_expiry_of_new after insert on api_keys
    when new.expires_at is not null begin ${schedule} end`.execute(db);
  await sql`create trigger schedule_expiry_of_changed after update of expires_at, is_active on api_keys
    when new.expires_at is not null
      and (new.expires_at is not old.expires_at or new.is_active is not old.is_active)
    begin ${schedule} end`.execute(db);
}

async function postgresTriggers(db: Kysely<unknown>): Promise<void> {
  await sql`create function schedule_expiry() returns trigger language plpgsql as $$
    begin
      insert into expiry_schedule (key_seq, due_at) values (new.seq, 0)
        on conflict (key_seq) do update set due_at = 0;
      return null;
    end $$`.execute(db);
  await sql`create trigger schedule_expiry_of_new after insert on api_keys
    for each row when (new.expires_at is not null) execute function schedule_expiry()`.execute(db);
  await sql`create trigger schedule_expiry_of_changed after update of expires_at, is_active on api_keys
    for each row when (new.expires_at is not null
      and (new.expires_at is distinct from old.expires_at or new.is_active is distinct from old.is_active))
    execute function schedule_expiry()`.execute(db);
}

async function thresholds(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('threshold_notices')
    .addColumn('counter', engine.text, (c) => c.notNull())
    .addColumn('percent', 'integer', (c) => c.notNull())
    .addColumn('window_ends', 'bigint', (c) => c.notNull())
    .addColumn('noticed_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('threshold_notices_last', ['counter', 'percent'])
    .execute();
  await index(db, 'threshold_notices', ['window_ends']);
  await db.schema
    .createTable('notice_mails')
    .addColumn('project_id', engine.id, (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('due_at', 'bigint')
    .addColumn('sent_at', 'bigint')
    .addPrimaryKeyConstraint('notice_mails_last', ['project_id', 'kind'])
    .execute();
  await index(db, 'notice_mails', ['due_at']);
}

async function streams(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('usage_periods')
    .addColumn('project_id', engine.id, (c) => c.primaryKey().notNull())
    .addColumn('start', 'bigint', (c) => c.notNull())
    .addColumn('part', 'integer', (c) => c.notNull())
    .addColumn('after', engine.text, (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('audit_streams')
    .addColumn('account_id', engine.id, (c) => c.primaryKey().notNull())
    .addColumn('number', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('signal_cursors')
    .addColumn('name', 'text', (c) => c.primaryKey().notNull())
    .addColumn('position', 'bigint', (c) => c.notNull())
    .execute();
  // What was due before the upgrade is not announced.
  await sql`insert into signal_cursors (name, position) values ('upgraded at', ${systemClock()})`.execute(
    db,
  );
}
