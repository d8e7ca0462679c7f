import type { Migration } from './migration.ts';

/** The settings of the first part of a usage period, which its other parts use too. */
export const usagePeriodSettings: Migration = {
  version: 21,
  name: 'settings of usage periods',
  async up(db) {
    await db.schema.alterTable('usage_periods').addColumn('settings', 'text').execute();
  },
};
