import { type Kysely, sql } from 'kysely';
import type { Engine } from './engine.ts';
import { index, type Migration } from './migration.ts';

const COUNTED = [
  ...['usage_minutes', 'usage_quarters', 'usage_days', 'usage_months'],
  ...['access_usage_minutes', 'access_usage_quarters', 'access_usage_days'],
  ...['project_minutes', 'project_quarters', 'project_days'],
];

/** Several limits for a key, credits, plans, customers, and the cost of requests. */
export const plansAndCustomers: Migration = {
  version: 16,
  name: 'plans, customers, credits, several limits for a key, cost of requests',
  // Older code would not enforce these limits.
  compatibleFrom: { sqlite: 16, postgres: 16 },
  async up(db, engine) {
    await plans(db, engine);
    await customers(db, engine);
    await credits(db, engine);
    await db.schema.alterTable('api_keys').addColumn('plan_id', engine.id).execute();
    await db.schema.alterTable('api_keys').addColumn('limits', 'text').execute();
    await index(db, 'api_keys', ['plan_id', 'id']);
    // Finds the keys that share credits. Few keys are rotated, so the index is small.
    await sql`create index api_keys_rotated on api_keys (limit_group) where limit_group <> id`.execute(
      db,
    );
    await db.schema.alterTable('projects').addColumn('default_plan_id', engine.id).execute();
    await db.schema.alterTable('rate_windows').addColumn('window_ms', 'bigint').execute();
    await db.schema.alterTable('rate_windows').addColumn('previous', 'bigint').execute();
    for (const table of COUNTED)
      await db.schema
        .alterTable(table)
        .addColumn('extra_cost', 'bigint', (column) => column.notNull().defaultTo(0))
        .execute();
  },
};

async function plans(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('plans')
    .addColumn('id', engine.id, (c) => c.primaryKey().notNull())
    .addColumn('account_id', engine.id, (c) => c.notNull().references('accounts.id'))
    .addColumn('project_id', engine.id, (c) => c.notNull().references('projects.id'))
    .addColumn('name', engine.text, (c) => c.notNull())
    .addColumn('permissions', 'text')
    .addColumn('limits', 'text')
    .addColumn('allowed_ips', 'text')
    .addColumn('credits', 'text')
    .addColumn('revision', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute();
  await index(db, 'plans', ['account_id', 'id']);
  await index(db, 'plans', ['project_id', 'id']);
}

async function customers(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('customers')
    .addColumn('id', engine.id, (c) => c.primaryKey().notNull())
    .addColumn('account_id', engine.id, (c) => c.notNull().references('accounts.id'))
    .addColumn('project_id', engine.id, (c) => c.notNull().references('projects.id'))
    .addColumn('custom_account_id', engine.text, (c) => c.notNull())
    .addColumn('name', engine.text)
    .addColumn('email', engine.text)
    .addColumn('plan_id', engine.id)
    .addColumn('custom_meta_data', 'text', (c) => c.notNull())
    .addColumn('tags', 'text')
    .addColumn('permissions', 'text')
    .addColumn('limits', 'text')
    .addColumn('allowed_ips', 'text')
    .addColumn('revision', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('customers_project_id_custom_account_id', [
      'project_id',
      'custom_account_id',
    ])
    .execute();
  await index(db, 'customers', ['account_id', 'id']);
  await index(db, 'customers', ['project_id', 'id']);
  await index(db, 'customers', ['plan_id', 'id']);
}

async function credits(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('credit_pools')
    .addColumn('project_id', engine.id, (c) => c.notNull().references('projects.id'))
    .addColumn('owner_type', 'text', (c) =>
      c.notNull().check(sql`owner_type in ('key', 'customer')`),
    )
    .addColumn('owner', engine.text, (c) => c.notNull())
    .addColumn('account_id', engine.id, (c) => c.notNull().references('accounts.id'))
    .addColumn('remaining', 'bigint', (c) => c.notNull())
    .addColumn('owed', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('refill_amount', 'bigint')
    .addColumn('refill_interval', 'text')
    .addColumn('refill_timezone', 'text')
    .addColumn('next_refill_at', 'bigint')
    .addColumn('plan_id', engine.id)
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('credit_pools_owner', ['project_id', 'owner_type', 'owner'])
    .addCheckConstraint('credit_pools_not_negative', sql`remaining >= 0 and owed >= 0`)
    .execute();
  await db.schema
    .createTable('credit_blocks')
    .addColumn('project_id', engine.id, (c) => c.notNull())
    .addColumn('owner_type', 'text', (c) => c.notNull())
    .addColumn('owner', engine.text, (c) => c.notNull())
    .addColumn('node', engine.text, (c) => c.notNull())
    .addColumn('number', 'bigint', (c) => c.notNull())
    .addColumn('amount', 'bigint', (c) => c.notNull())
    .addColumn('spent', 'bigint', (c) => c.notNull())
    .addColumn('ends_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('credit_blocks_holder', ['project_id', 'owner_type', 'owner', 'node'])
    .execute();
}
