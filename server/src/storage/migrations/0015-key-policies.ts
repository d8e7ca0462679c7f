import type { Migration } from './migration.ts';

const COUNTED = [
  ...['usage_minutes', 'usage_quarters', 'usage_days', 'usage_months'],
  ...['access_usage_minutes', 'access_usage_quarters', 'access_usage_days'],
  ...['project_minutes', 'project_quarters', 'project_days'],
];

/** What a key may do, from where and from when; the prefix of a project's keys; and the new outcomes. */
export const keyPolicies: Migration = {
  version: 15,
  name: 'permissions, addresses, start and tags of keys, prefixes of projects',
  // Older code would not make these checks.
  compatibleFrom: { sqlite: 15, postgres: 15 },
  async up(db) {
    for (const column of ['permissions', 'allowed_ips', 'tags'])
      await db.schema.alterTable('api_keys').addColumn(column, 'text').execute();
    await db.schema.alterTable('api_keys').addColumn('starts_at', 'bigint').execute();
    await db.schema.alterTable('projects').addColumn('key_prefix', 'text').execute();
    for (const table of COUNTED)
      for (const outcome of ['not_started', 'ip_denied', 'permission_denied', 'credits_exhausted'])
        await db.schema
          .alterTable(table)
          .addColumn(outcome, 'bigint', (column) => column.notNull().defaultTo(0))
          .execute();
  },
};
