import type { Migration } from './migration.ts';

/** The units that projects count, and the time from which the days and months of a customer are counted. */
export const unitsAndAnchors: Migration = {
  version: 29,
  name: 'units of projects, anchors of customers',
  // Older code would count limits by unit, by resource and by the calendar as others.
  compatibleFrom: { sqlite: 29 },
  async up(db) {
    await db.schema.alterTable('projects').addColumn('units', 'text').execute();
    await db.schema.alterTable('customers').addColumn('anchor', 'bigint').execute();
  },
};
