import type { Migration } from './migration.ts';

/** Which key a rotated one was replaced by, and which one a new key replaces; null for others. */
export const rotations: Migration = {
  version: 14,
  name: 'rotated keys and their successors',
  // On SQLite older code would copy the columns when it rotates a key, and then miss them in others.
  compatibleFrom: { sqlite: 14 },
  async up(db, engine) {
    for (const table of ['api_keys', 'access_keys'])
      for (const column of ['rotated_from', 'rotated_to'])
        await db.schema.alterTable(table).addColumn(column, engine.id).execute();
  },
};
