import type { Migration } from './migration.ts';

/**
 * One seal for many rows. `position`, `audit_seq` and `hash` belong to the last row. The chain continues from
 * there, also on a node of the previous version. `links` lists the numbers and hashes of the other rows.
 */
export const auditSealBatches: Migration = {
  version: 10,
  name: 'audit seals for many rows',
  async up(db) {
    await db.schema.alterTable('audit_seals').addColumn('links', 'text').execute();
  },
};
