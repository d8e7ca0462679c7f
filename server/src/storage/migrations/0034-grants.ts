import { type Kysely, sql } from 'kysely';
import type { Migration } from './migration.ts';

/**
 * Credits as grants, with a statement: docs/decisions/0059-limits-and-credits.md. The row of a pool changes its
 * form when it is next written. Older nodes do not know that form: on PostgreSQL, it is used once all nodes do
 * (storage/grants-in-use.ts).
 */
export const grants: Migration = {
  version: 34,
  name: 'grants of credits',
  compatibleFrom: { sqlite: 34 },
  newIsCompatibleFrom: 34,
  async up(db, engine) {
    await db.schema.alterTable('credit_pools').addColumn('grants', 'text').execute();
    for (const column of ['refill_anchor', 'expiry_notice_at'])
      await db.schema.alterTable('credit_pools').addColumn(column, 'bigint').execute();
    for (const column of ['booked', 'day', 'spent_before'])
      await db.schema
        .alterTable('credit_blocks')
        .addColumn(column, 'bigint', (c) => c.notNull().defaultTo(0))
        .execute();
    await engine
      .clustered(
        db.schema
          .createTable('credit_entries')
          .addColumn('project_id', engine.id, (c) => c.notNull())
          .addColumn('owner_type', 'text', (c) => c.notNull())
          .addColumn('owner', engine.text, (c) => c.notNull())
          .addColumn('day', 'bigint', (c) => c.notNull())
          .addColumn('kind', 'text', (c) => c.notNull())
          .addColumn('ref', engine.text, (c) => c.notNull())
          .addColumn('amount', 'bigint', (c) => c.notNull())
          .addColumn('note', 'text')
          .addPrimaryKeyConstraint('credit_entries_line', [
            ...['project_id', 'owner_type', 'owner'],
            ...['day', 'kind', 'ref'],
          ] as never[]),
      )
      .execute();
    await expiryIndex(db);
  },
};

const expiryIndex = (db: Kysely<unknown>): Promise<unknown> =>
  sql`create index credit_pools_expiry_notice on credit_pools (expiry_notice_at)
    where expiry_notice_at is not null`.execute(db);
