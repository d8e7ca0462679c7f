import type { Migration } from './migration.ts';

/**
 * Who set up a webhook, and which deliveries carry a key value. Both are null in existing rows and in
 * rows written by nodes of the previous version: such deliveries carry the mask.
 */
export const webhookSetters: Migration = {
  version: 12,
  name: 'who set up a webhook',
  async up(db) {
    await db.schema.alterTable('webhooks').addColumn('set_by', 'text').execute();
    await db.schema.alterTable('deliveries').addColumn('carries_value', 'integer').execute();
  },
};
