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

/** The log is read by time inside its account, with or without one of these filters. */
async function filters(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('audit_log_by_account_id_seq').execute();
  await index(db, 'audit_log', ['account_id', 'created_at', 'id']);
  for (const filter of ['project_id', 'actor_id', 'target_id', 'action']) {
    await index(db, 'audit_log', ['account_id', filter, 'created_at', 'id']);
  }
}
