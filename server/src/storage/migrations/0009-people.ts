import type { Kysely } from 'kysely';
import type { Engine } from './engine.ts';
import { index, type Migration } from './migration.ts';

/**
 * People: their identities and sign-in (the tables of better-auth, with our column names), their
 * account memberships, and outgoing mail.
 */
export const people: Migration = {
  version: 9,
  name: 'people',
  // Older code was never tested with this schema.
  compatibleFrom: { sqlite: 9, postgres: 9 },
  async up(db, engine) {
    await users(db, engine);
    await sessions(db, engine);
    await credentials(db, engine);
    await secondFactors(db, engine);
    await memberships(db, engine);
    await mails(db, engine);
  },
};

async function users(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('users')
    .addColumn('id', engine.id, (c) => c.primaryKey().notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('email', 'text', (c) => c.notNull().unique())
    .addColumn('email_verified', 'integer', (c) => c.notNull())
    .addColumn('image', 'text')
    .addColumn('two_factor_enabled', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute();
}

async function sessions(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('sessions')
    .addColumn('id', engine.id, (c) => c.primaryKey().notNull())
    .addColumn('user_id', engine.id, (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('token', 'text', (c) => c.notNull().unique())
    .addColumn('ip_address', 'text')
    .addColumn('user_agent', 'text')
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute();
  await index(db, 'sessions', ['user_id']);
  await index(db, 'sessions', ['expires_at']);
}

async function credentials(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('credentials')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('user_id', engine.id, (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('provider_id', 'text', (c) => c.notNull())
    .addColumn('access_token', 'text')
    .addColumn('refresh_token', 'text')
    .addColumn('id_token', 'text')
    .addColumn('access_token_expires_at', 'bigint')
    .addColumn('refresh_token_expires_at', 'bigint')
    .addColumn('scope', 'text')
    .addColumn('password', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('credentials_provider_id_account_id', ['provider_id', 'account_id'])
    .execute();
  await index(db, 'credentials', ['user_id']);
  await db.schema
    .createTable('verifications')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('identifier', 'text', (c) => c.notNull())
    .addColumn('value', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute();
  await index(db, 'verifications', ['identifier']);
  await index(db, 'verifications', ['expires_at']);
}

async function secondFactors(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('two_factors')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('user_id', engine.id, (c) =>
      c.notNull().unique().references('users.id').onDelete('cascade'),
    )
    .addColumn('secret', 'text', (c) => c.notNull())
    .addColumn('backup_codes', 'text', (c) => c.notNull())
    .addColumn('verified', 'integer', (c) => c.notNull().defaultTo(1))
    .addColumn('failed_verification_count', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('locked_until', 'bigint')
    .execute();
  await db.schema
    .createTable('passkeys')
    .addColumn('id', engine.id, (c) => c.primaryKey().notNull())
    .addColumn('user_id', engine.id, (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('name', 'text')
    .addColumn('public_key', 'text', (c) => c.notNull())
    .addColumn('credential_id', 'text', (c) => c.notNull().unique())
    .addColumn('counter', 'bigint', (c) => c.notNull())
    .addColumn('device_type', 'text', (c) => c.notNull())
    .addColumn('backed_up', 'integer', (c) => c.notNull())
    .addColumn('transports', 'text')
    .addColumn('aaguid', 'text')
    .addColumn('created_at', 'bigint')
    .execute();
  await index(db, 'passkeys', ['user_id']);
}

async function memberships(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('memberships')
    .addColumn('account_id', engine.id, (c) => c.notNull().references('accounts.id'))
    .addColumn('user_id', engine.id, (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('project_ids', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('memberships_primary', ['account_id', 'user_id'])
    .execute();
  await index(db, 'memberships', ['user_id', 'account_id']);
  await db.schema.alterTable('invitations').addColumn('accepted_by', engine.id).execute();
  await db.schema.alterTable('invitations').addColumn('email_status', 'text').execute();
}

async function mails(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('mails')
    .addColumn('id', engine.id, (c) => c.primaryKey().notNull())
    .addColumn('invitation_id', engine.id)
    .addColumn('content', 'text', (c) => c.notNull())
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('due_at', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await index(db, 'mails', ['due_at']);
}
