import type { Kysely } from 'kysely';
import type { Engine } from './engine.ts';
import { index, type Migration } from './migration.ts';

export const auditSeals: Migration = {
  version: 3,
  name: 'audit seals',
  async up(db, engine) {
    await seals(db, engine);
    await filters(db);
  },
};

/** Positions without a gap: the seal of a place is always the one after the place before it. */
async function seals(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('audit_seals')
    .addColumn('position', engine.sequenceValue, (c) => c.primaryKey().notNull())
    .addColumn('audit_seq', engine.sequenceValue, (c) => c.notNull().unique())
    .addColumn('hash', 'text', (c) => c.notNull())
    .addColumn('sealed_at', 'bigint', (c) => c.notNull())
    .execute();
}

/**
 * The log is read by time, of one account, one target or one actor. Action and project stand in the
 * index of the account, so that what they leave out is passed over without a look at its row: an
 * index for each of them would make every change pay for a question that is asked seldom.
 */
async function filters(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('audit_log_by_account_id_seq').execute();
  await index(db, 'audit_log', ['account_id', 'created_at', 'id', 'action', 'project_id']);
  for (const filter of ['target_id', 'actor_id'])
    await index(db, 'audit_log', [filter, 'created_at', 'id']);
}
