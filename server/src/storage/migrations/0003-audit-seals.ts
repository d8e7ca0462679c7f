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

/** Positions have no gaps: each seal comes one position after its predecessor. */
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
 * The log is read by time, for one account, one target or one actor. Action and project are columns of
 * the account index, so that rows they exclude are skipped without being read. A separate index for
 * each of them would slow down every change for the sake of a rare query.
 */
async function filters(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('audit_log_by_account_id_seq').execute();
  await index(db, 'audit_log', ['account_id', 'created_at', 'id', 'action', 'project_id']);
  for (const filter of ['target_id', 'actor_id'])
    await index(db, 'audit_log', [filter, 'created_at', 'id']);
}
