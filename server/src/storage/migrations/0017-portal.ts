import { index, type Migration } from './migration.ts';

/** Sessions of the customer portal, its settings in projects, and the actor of events. */
export const portal: Migration = {
  version: 17,
  name: 'portal sessions, branding and portal origins of projects',
  async up(db, engine) {
    await db.schema
      .createTable('portal_sessions')
      .addColumn('id', engine.id, (c) => c.primaryKey().notNull())
      .addColumn('hash', 'text', (c) => c.notNull().unique())
      .addColumn('account_id', engine.id, (c) => c.notNull().references('accounts.id'))
      .addColumn('project_id', engine.id, (c) => c.notNull().references('projects.id'))
      .addColumn('custom_account_id', engine.text, (c) => c.notNull())
      .addColumn('allow', 'text', (c) => c.notNull())
      .addColumn('permissions', 'text')
      .addColumn('return_url', 'text')
      .addColumn('created_by', engine.id, (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('expires_at', 'bigint', (c) => c.notNull())
      .execute();
    await index(db, 'portal_sessions', ['account_id', 'id']);
    await index(db, 'portal_sessions', ['project_id', 'id']);
    await index(db, 'portal_sessions', ['expires_at']);
    // Apart from projects, so that lists and caches of projects stay small.
    await db.schema
      .createTable('project_logos')
      .addColumn('project_id', engine.id, (c) => c.primaryKey().notNull().references('projects.id'))
      .addColumn('png', 'text', (c) => c.notNull())
      .execute();
    for (const column of ['brand_name', 'accent_color', 'logo_hash', 'portal_origins'])
      await db.schema.alterTable('projects').addColumn(column, 'text').execute();
    await db.schema.alterTable('events').addColumn('actor', 'text').execute();
  },
};
