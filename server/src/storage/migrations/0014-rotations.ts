import type { Migration } from './migration.ts';

/** The key that replaces a rotated key, and the key that a new key replaces; null for other keys. */
export const rotations: Migration = {
  version: 14,
  name: 'rotated keys and their successors',
  // On SQLite, older code takes the columns of its insert statement from the first row. If the first row is
  // the copy of a rotated key, it has these columns. Later inserts of rows without them then fail.
  compatibleFrom: { sqlite: 14 },
  async up(db, engine) {
    for (const table of ['api_keys', 'access_keys'])
      for (const column of ['rotated_from', 'rotated_to'])
        await db.schema.alterTable(table).addColumn(column, engine.id).execute();
  },
};
