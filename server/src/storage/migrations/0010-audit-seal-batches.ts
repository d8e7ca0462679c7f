import type { Migration } from './migration.ts';

/**
 * One seal for many rows: `position`, `audit_seq` and `hash` are those of the last row, where the
 * chain continues, also for a node of the previous version. `links` lists those of the other rows.
 */
export const auditSealBatches: Migration = {
  version: 10,
  name: 'audit seals for many rows',
  async up(db) {
    await db.schema.alterTable('audit_seals').addColumn('links', 'text').execute();
  },
};
