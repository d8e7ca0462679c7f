import type { Migration } from './migration.ts';

/** The settings with which the parts of a usage period are continued. */
export const usagePeriodSettings: Migration = {
  version: 21,
  name: 'settings of usage periods',
  async up(db) {
    await db.schema.alterTable('usage_periods').addColumn('settings', 'text').execute();
  },
};
