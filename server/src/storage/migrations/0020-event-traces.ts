import type { Migration } from './migration.ts';

/** The trace that an event belongs to. */
export const eventTraces: Migration = {
  version: 20,
  name: 'traces of events',
  async up(db) {
    await db.schema.alterTable('events').addColumn('traceparent', 'text').execute();
  },
};
