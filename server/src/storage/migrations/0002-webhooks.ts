import { type Kysely, sql } from 'kysely';
import type { Engine } from './engine.ts';
import { index, type Migration } from './migration.ts';

export const webhooks: Migration = {
  version: 2,
  name: 'webhooks',
  async up(db, engine) {
    await subscriptions(db, engine);
    await events(db, engine);
    await deliveries(db, engine);
    await replays(db, engine);
  },
};

async function subscriptions(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('webhooks')
    .addColumn('id', engine.id, (c) => c.primaryKey().notNull())
    .addColumn('account_id', engine.id, (c) => c.notNull().references('accounts.id'))
    .addColumn('project_id', engine.id, (c) => c.references('projects.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('url', 'text', (c) => c.notNull())
    .addColumn('topics', 'text', (c) => c.notNull())
    .addColumn('http_method', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) =>
      c.notNull().check(sql`status in ('live', 'paused', 'disabled')`),
    )
    .addColumn('disabled_reason', 'text')
    .addColumn('custom_headers', 'text', (c) => c.notNull())
    .addColumn('secret', 'text', (c) => c.notNull())
    .addColumn('previous_secret', 'text')
    .addColumn('previous_secret_until', 'bigint')
    .addColumn('failing_since', 'bigint')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addColumn('deleted_at', 'bigint')
    .execute();
  await index(db, 'webhooks', ['account_id', 'id']);
}

async function events(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('events')
    .addColumn('id', engine.id, (c) => c.primaryKey().notNull())
    .addColumn('account_id', engine.id, (c) => c.notNull())
    .addColumn('project_id', engine.id)
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('data', 'text', (c) => c.notNull())
    .addColumn('sealed_data', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await index(db, 'events', ['account_id', 'id']);
  await index(db, 'events', ['created_at']);
}

async function deliveries(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('deliveries')
    .addColumn('id', engine.id, (c) => c.primaryKey().notNull())
    .addColumn('event_id', engine.id, (c) =>
      c.notNull().references('events.id').onDelete('cascade'),
    )
    .addColumn('webhook_id', engine.id, (c) => c.notNull().references('webhooks.id'))
    .addColumn('account_id', engine.id, (c) => c.notNull())
    .addColumn('project_id', engine.id)
    .addColumn('status', 'text', (c) =>
      c.notNull().check(sql`status in ('pending', 'held', 'delivered', 'failed', 'cancelled')`),
    )
    .addColumn('lane', 'integer', (c) => c.notNull())
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('due_at', 'bigint', (c) => c.notNull())
    .addColumn('lease_token', 'text')
    .addColumn('lease_until', 'bigint')
    .addColumn('last_status_code', 'integer')
    .addColumn('last_error', 'text')
    .addColumn('replay_id', engine.id)
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute();
  // Claims query one webhook at a time, so that a webhook with a full queue never blocks the others.
  await index(db, 'deliveries', ['webhook_id', 'status', 'lane', 'due_at']);
  await index(db, 'deliveries', ['webhook_id', 'id']);
  await index(db, 'deliveries', ['event_id']);
  await index(db, 'deliveries', ['project_id', 'status']);
  await db.schema
    .createTable('delivery_attempts')
    .addColumn('seq', ...engine.sequence)
    .addColumn('delivery_id', engine.id, (c) =>
      c.notNull().references('deliveries.id').onDelete('cascade'),
    )
    .addColumn('started_at', 'bigint', (c) => c.notNull())
    .addColumn('duration_ms', 'integer', (c) => c.notNull())
    .addColumn('status_code', 'integer')
    .addColumn('error', 'text')
    .addColumn('response_body', 'text')
    .execute();
  await index(db, 'delivery_attempts', ['delivery_id', 'seq']);
}

async function replays(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('webhook_replays')
    .addColumn('id', engine.id, (c) => c.primaryKey().notNull())
    .addColumn('webhook_id', engine.id, (c) => c.notNull().references('webhooks.id'))
    .addColumn('account_id', engine.id, (c) => c.notNull())
    .addColumn('since', 'bigint', (c) => c.notNull())
    .addColumn('until', 'bigint', (c) => c.notNull())
    .addColumn('status', 'text', (c) =>
      c.notNull().check(sql`status in ('running', 'done', 'cancelled')`),
    )
    .addColumn('cursor', engine.id, (c) => c.notNull())
    .addColumn('total', 'integer', (c) => c.notNull())
    .addColumn('queued', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute();
  await index(db, 'webhook_replays', ['webhook_id', 'id']);
  await index(db, 'webhook_replays', ['status']);
}
