import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import type { Engine } from './engine.ts';
import type { Migration } from './migration.ts';

/**
 * On SQLite the audit log had four indexes, and every change wrote a page of each. Rows are now found
 * through separate lookup tables, which the sealer fills in batches:
 * docs/decisions/0011-audit-chain.md
 */
export const auditLookups: Migration = {
  version: 11,
  name: 'lookups of audit rows',
  // Older code would seal rows without adding them to the lookup tables.
  compatibleFrom: { sqlite: 11 },
  async up(db, engine) {
    if (engine.name !== 'sqlite') return;
    await removeIndexes(db);
    await lookups(db, engine);
    await fill(db);
  },
};

/** SQLite cannot drop the index of a unique constraint, so the rows are copied into a new table. */
async function removeIndexes(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('audit_log').renameTo('audit_log_indexed').execute();
  await db.schema
    .createTable('audit_log')
    .addColumn('seq', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('project_id', 'text')
    .addColumn('actor_type', 'text', (c) => c.notNull())
    .addColumn('actor_id', 'text', (c) => c.notNull())
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('target_type', 'text', (c) => c.notNull())
    .addColumn('target_id', 'text', (c) => c.notNull())
    .addColumn('before', 'text')
    .addColumn('after', 'text')
    .addColumn('request_id', 'text')
    .addColumn('client_address', 'text')
    .addColumn('user_agent', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await sql`insert into audit_log select * from audit_log_indexed order by seq`.execute(db);
  // Numbering continues after the highest number ever assigned, even if its row was deleted.
  await sql`delete from sqlite_sequence where name = 'audit_log'`.execute(db);
  await sql`update sqlite_sequence set name = 'audit_log' where name = 'audit_log_indexed'`.execute(
    db,
  );
  await db.schema.dropTable('audit_log_indexed').execute();
}

async function lookups(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const byId = db.schema
    .createTable('audit_by_id')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('seq', 'integer', (c) => c.notNull());
  await engine.clustered(byId).execute();
  // Contains action and project, so that rows they exclude are skipped without being read.
  const byAccount = lookupBy('account', db)
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('project_id', 'text');
  await engine.clustered(byAccount).execute();
  for (const subject of ['target', 'actor'])
    await engine.clustered(lookupBy(subject, db)).execute();
}

/** Sorted by time, and by id within a millisecond, like the log. */
const lookupBy = (subject: string, db: Kysely<unknown>): CreateTableBuilder<string, never> =>
  db.schema
    .createTable(`audit_by_${subject}`)
    .addColumn(`${subject}_id`, 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('seq', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint(`audit_by_${subject}_and_time`, [
      `${subject}_id`,
      'created_at',
      'id',
    ] as never[]) as never;

/** Adds the sealed rows; the sealer adds the others when it seals them. */
async function fill(db: Kysely<unknown>): Promise<void> {
  const sealed = sql`from audit_log where seq <= (select max(audit_seq) from audit_seals) order by seq`;
  await sql`insert into audit_by_id (id, seq) select id, seq ${sealed}`.execute(db);
  await sql`insert into audit_by_account (account_id, created_at, id, seq, action, project_id)
    select account_id, created_at, id, seq, action, project_id ${sealed}`.execute(db);
  await sql`insert into audit_by_target (target_id, created_at, id, seq)
    select target_id, created_at, id, seq ${sealed}`.execute(db);
  await sql`insert into audit_by_actor (actor_id, created_at, id, seq)
    select actor_id, created_at, id, seq ${sealed}`.execute(db);
}
