import { index, type Migration } from './migration.ts';

/**
 * Browsers in which a person has signed in before; the time of a person's last sign-in, which outlives
 * the session; and the time at which the person of a session last confirmed their identity.
 */
export const knownBrowsers: Migration = {
  version: 13,
  name: 'known browsers',
  async up(db, engine) {
    await db.schema
      .createTable('known_browsers')
      .addColumn('token_hash', 'text', (c) => c.notNull())
      .addColumn('user_id', engine.id, (c) =>
        c.notNull().references('users.id').onDelete('cascade'),
      )
      .addColumn('signed_in_at', 'bigint', (c) => c.notNull())
      .addColumn('expires_at', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('known_browsers_primary', ['token_hash', 'user_id'])
      .execute();
    await index(db, 'known_browsers', ['user_id']);
    await index(db, 'known_browsers', ['expires_at']);
    await db.schema.alterTable('users').addColumn('last_sign_in_at', 'bigint').execute();
    await db.schema.alterTable('sessions').addColumn('confirmed_at', 'bigint').execute();
  },
};
