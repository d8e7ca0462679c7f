import type { Migration } from './migration.ts';

/**
 * One seal for many rows: `position`, `audit_seq` and `hash` are those of the last, where the chain
 * goes on, also for a node of the version before; `links` tells those of the rows before it.
 */
export const auditSealBatches: Migration = {
  version: 10,
  name: 'audit seals for many rows',
  async up(db) {
    await db.schema.alterTable('audit_seals').addColumn('links', 'text').execute();
  },
};
