import { type CreateTableBuilder, type Kysely, type RawBuilder, sql } from 'kysely';
import type { Engine } from './engine.ts';
import { index, type Migration } from './migration.ts';

export const first: Migration = {
  version: 1,
  name: 'first',
  async up(db, engine) {
    await installation(db, engine);
    await accountsAndProjects(db, engine);
    await apiKeys(db, engine);
    await accessKeys(db, engine);
    await invitations(db, engine);
    await idempotency(db, engine);
    await auditLog(db, engine);
    await rateWindows(db, engine);
  },
};

type Table = CreateTableBuilder<string, string>;

const flag = (column: string): RawBuilder<unknown> => sql`${sql.ref(column)} in (0, 1)`;

const provenance = <T extends Table>(table: T) =>
  table
    .addColumn('created_by', 'text', (c) => c.notNull())
    .addColumn('created_by_type', 'text', (c) => c.notNull())
    .addColumn('created_in', 'text', (c) => c.notNull())
    .addColumn('last_changed_by', 'text', (c) => c.notNull())
    .addColumn('last_changed_by_type', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull());

/** Both numbers of a limit are set and at least 1, or both are null. */
const wholeLimit = sql`(rate_limit is null and rate_limit_ttl is null) or (rate_limit is not null and rate_limit_ttl is not null and rate_limit >= 1 and rate_limit_ttl >= 1)`;

async function installation(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('installation')
    .addColumn('name', engine.text, (c) => c.primaryKey().notNull())
    .addColumn('value', 'text', (c) => c.notNull())
    .execute();
}

async function accountsAndProjects(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await provenance(
    db.schema
      .createTable('accounts')
      .addColumn('id', engine.id, (c) => c.primaryKey().notNull())
      .addColumn('name', engine.text, (c) => c.notNull())
      .addColumn('is_active', 'integer', (c) => c.notNull().check(flag('is_active'))),
  ).execute();
  await provenance(
    db.schema
      .createTable('projects')
      .addColumn('id', engine.id, (c) => c.primaryKey().notNull())
      .addColumn('account_id', engine.id, (c) => c.notNull().references('accounts.id'))
      .addColumn('name', engine.text, (c) => c.notNull())
      .addColumn('env', 'text', (c) => c.notNull().check(sql`env in ('live', 'test')`))
      .addColumn('is_active', 'integer', (c) => c.notNull().check(flag('is_active'))),
  ).execute();
  await index(db, 'projects', ['account_id', 'id']);
}

async function apiKeys(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('api_keys')
    .addColumn('seq', ...engine.sequence)
    .addColumn('id', engine.id, (c) => c.notNull().unique())
    .addColumn('account_id', engine.id, (c) => c.notNull().references('accounts.id'))
    .addColumn('project_id', engine.id, (c) => c.notNull().references('projects.id'))
    .addColumn('name', engine.text, (c) => c.notNull())
    .addColumn('hash', 'text', (c) => c.notNull())
    .addColumn('mask', 'text', (c) => c.notNull())
    .addColumn('custom_meta_data', 'text', (c) => c.notNull())
    .addColumn('custom_account_id', engine.text)
    .addColumn('custom_user_id', engine.text)
    .addColumn('is_active', 'integer', (c) => c.notNull().check(flag('is_active')))
    .addColumn('expires_at', 'bigint')
    .addColumn('rate_limit', 'bigint')
    .addColumn('rate_limit_ttl', 'bigint')
    .addColumn('allowed_domains', 'text')
    .addColumn('creation_context', 'text', (c) => c.notNull())
    .addColumn('limit_group', engine.id, (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('api_keys_account_id_hash', ['account_id', 'hash'])
    .addCheckConstraint('api_keys_whole_limit', wholeLimit)
    .execute();
  // Every list is sorted by id, newest first, within its account, with or without one of these filters.
  await index(db, 'api_keys', ['account_id', 'id']);
  for (const filter of ['project_id', 'custom_account_id', 'custom_user_id', 'name']) {
    await index(db, 'api_keys', ['account_id', filter, 'id']);
  }
  await db.schema
    .createTable('key_usage')
    .addColumn('key_seq', engine.sequenceValue, (c) =>
      c.primaryKey().notNull().references('api_keys.seq').onDelete('cascade'),
    )
    .addColumn('first_used_at', 'bigint', (c) => c.notNull())
    .addColumn('last_used_at', 'bigint', (c) => c.notNull())
    .execute();
}

async function accessKeys(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('access_keys')
    .addColumn('seq', ...engine.sequence)
    .addColumn('id', engine.id, (c) => c.notNull().unique())
    .addColumn('account_id', engine.id, (c) => c.notNull().references('accounts.id'))
    .addColumn('project_id', engine.id, (c) => c.references('projects.id'))
    .addColumn('name', engine.text, (c) => c.notNull())
    .addColumn('hash', 'text', (c) => c.notNull().unique())
    .addColumn('mask', 'text', (c) => c.notNull())
    .addColumn('scopes', 'text', (c) => c.notNull())
    .addColumn('is_active', 'integer', (c) => c.notNull().check(flag('is_active')))
    .addColumn('expires_at', 'bigint')
    .addColumn('rate_limit', 'bigint')
    .addColumn('rate_limit_ttl', 'bigint')
    .addColumn('last_used_at', 'bigint')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addCheckConstraint('access_keys_whole_limit', wholeLimit)
    .execute();
  await index(db, 'access_keys', ['account_id', 'id']);
}

async function invitations(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('invitations')
    .addColumn('id', engine.id, (c) => c.primaryKey().notNull())
    .addColumn('account_id', engine.id, (c) => c.notNull().references('accounts.id'))
    .addColumn('email', 'text', (c) => c.notNull())
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('project_ids', 'text')
    .addColumn('status', 'text', (c) =>
      c.notNull().check(sql`status in ('pending', 'accepted', 'cancelled')`),
    )
    .addColumn('invited_by', 'text', (c) => c.notNull())
    .addColumn('token_hash', 'text', (c) => c.notNull().unique())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute();
  await index(db, 'invitations', ['account_id', 'id']);
  await db.schema
    .createTable('setup_links')
    .addColumn('token_hash', 'text', (c) => c.primaryKey().notNull())
    .addColumn('account_id', engine.id, (c) => c.notNull().references('accounts.id'))
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('used_at', 'bigint')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
}

async function idempotency(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('idempotency')
    .addColumn('principal_id', engine.id, (c) => c.notNull())
    .addColumn('route', 'text', (c) => c.notNull())
    .addColumn('idempotency_key', 'text', (c) => c.notNull())
    .addColumn('request_hash', 'text', (c) => c.notNull())
    .addColumn('status', 'integer', (c) => c.notNull())
    .addColumn('response', 'text', (c) => c.notNull())
    .addColumn('resource_id', engine.id, (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('idempotency_primary', ['principal_id', 'route', 'idempotency_key'])
    .execute();
  await index(db, 'idempotency', ['expires_at']);
  await index(db, 'idempotency', ['resource_id']);
}

async function auditLog(db: Kysely<unknown>, engine: Engine): Promise<void> {
  // No foreign keys: entries outlive the records they describe.
  await db.schema
    .createTable('audit_log')
    .addColumn('seq', ...engine.sequence)
    .addColumn('id', engine.id, (c) => c.notNull().unique())
    .addColumn('account_id', engine.id, (c) => c.notNull())
    .addColumn('project_id', engine.id)
    .addColumn('actor_type', 'text', (c) => c.notNull())
    .addColumn('actor_id', 'text', (c) => c.notNull())
    .addColumn('action', engine.text, (c) => c.notNull())
    .addColumn('target_type', 'text', (c) => c.notNull())
    .addColumn('target_id', 'text', (c) => c.notNull())
    .addColumn('before', 'text')
    .addColumn('after', 'text')
    .addColumn('request_id', 'text')
    .addColumn('client_address', 'text')
    .addColumn('user_agent', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await index(db, 'audit_log', ['account_id', 'seq']);
}

async function rateWindows(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('rate_windows')
    .addColumn('limit_group', engine.id, (c) => c.primaryKey().notNull())
    .addColumn('reset_at', 'bigint', (c) => c.notNull())
    .addColumn('consumed', 'bigint', (c) => c.notNull())
    .execute();
}
