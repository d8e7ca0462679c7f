import type { Kysely } from 'kysely';
import type { Engine } from './engine.ts';
import { index, type Migration } from './migration.ts';

/** Samples of refused validations, reported leaks, and what a project does about a leak. */
export const refusalsAndLeaks: Migration = {
  version: 18,
  name: 'refusals and leaks',
  async up(db, engine) {
    await refusals(db, engine);
    await leaks(db, engine);
    await db.schema
      .alterTable('projects')
      .addColumn('on_leak', 'text', (c) => c.notNull().defaultTo('notify'))
      .execute();
  },
};

async function refusals(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await engine
    .clustered(
      db.schema
        .createTable('refusals')
        .addColumn('id', engine.id, (c) => c.primaryKey().notNull())
        .addColumn('account_id', engine.id, (c) => c.notNull())
        .addColumn('project_id', engine.id, (c) => c.notNull())
        .addColumn('key_seq', engine.sequenceValue, (c) =>
          c.notNull().references('api_keys.seq').onDelete('cascade'),
        )
        .addColumn('access_key_seq', engine.sequenceValue)
        .addColumn('time', 'bigint', (c) => c.notNull())
        .addColumn('code', 'text', (c) => c.notNull())
        .addColumn('client_ip', 'text')
        .addColumn('origin', 'text')
        .addColumn('missing', 'text')
        .addColumn('limit_name', 'text')
        .addColumn('cost', 'bigint', (c) => c.notNull()),
    )
    .execute();
  await index(db, 'refusals', ['account_id', 'time', 'id']);
  await index(db, 'refusals', ['key_seq', 'time', 'id']);
  await engine
    .clustered(
      db.schema
        .createTable('refusal_omissions')
        .addColumn('account_id', engine.id, (c) => c.notNull())
        .addColumn('minute', 'bigint', (c) => c.notNull())
        .addColumn('project_id', engine.id, (c) => c.notNull())
        .addColumn('key_seq', 'bigint', (c) => c.notNull())
        .addColumn('omitted', 'bigint', (c) => c.notNull())
        .addPrimaryKeyConstraint('refusal_omissions_minute', [
          'account_id',
          'minute',
          'project_id',
          'key_seq',
        ]),
    )
    .execute();
  await index(db, 'refusal_omissions', ['minute']);
}

async function leaks(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('leaks')
    .addColumn('id', engine.id, (c) => c.primaryKey().notNull())
    .addColumn('account_id', engine.id, (c) => c.notNull().references('accounts.id'))
    .addColumn('project_id', engine.id)
    .addColumn('key_id', engine.id, (c) => c.notNull())
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('url', 'text')
    .addColumn('fingerprint', 'text', (c) => c.notNull())
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('reports', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('leaks_key_id_fingerprint', ['key_id', 'fingerprint'])
    .execute();
  await index(db, 'leaks', ['account_id', 'id']);
}
