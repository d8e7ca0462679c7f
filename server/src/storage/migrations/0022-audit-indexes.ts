import { type Kysely, sql } from 'kysely';
import { index, type Migration } from './migration.ts';

/**
 * SQLite gets the indexes and the list of unsealed rows that PostgreSQL has, instead of lookup tables:
 * docs/decisions/0011-audit-chain.md
 */
export const auditIndexes: Migration = {
  version: 22,
  name: 'indexes of audit rows',
  // Older code would fill the lookup tables, which are gone.
  compatibleFrom: { sqlite: 22 },
  async up(db, engine) {
    if (engine.name !== 'sqlite') return;
    await indexes(db);
    await unsealed(db);
    for (const subject of ['id', 'account', 'target', 'actor'])
      await db.schema.dropTable(`audit_by_${subject}`).execute();
  },
};

/** Each index is in the order of the list. See migration 3. */
async function indexes(db: Kysely<unknown>): Promise<void> {
  // Not unique as on PostgreSQL: a row that another program inserted must not make the migration fail.
  await index(db, 'audit_log', ['id']);
  await index(db, 'audit_log', ['account_id', 'created_at', 'id', 'action', 'project_id']);
  for (const filter of ['target_id', 'actor_id'])
    await index(db, 'audit_log', [filter, 'created_at', 'id']);
}

/** As in migration 5. Until now, rows were sealed in the order of their numbers. */
async function unsealed(db: Kysely<unknown>): Promise<void> {
  await sql`create table audit_unsealed (seq integer primary key)`.execute(db);
  await sql`insert into audit_unsealed select seq from audit_log
    where seq > (select coalesce(max(audit_seq), 0) from audit_seals)`.execute(db);
  await sql`create trigger note_unsealed after insert on audit_log
    begin insert into audit_unsealed (seq) values (new.seq); end`.execute(db);
}
