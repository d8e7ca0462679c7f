import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/**
 * On PostgreSQL, audit rows can become visible in a different order than their numbers, with no limit
 * on the delay. So a trigger lists each new row in `audit_unsealed`, in the same transaction, until it
 * is sealed. SQLite has one writer and does not need this.
 */
export const auditUnsealed: Migration = {
  version: 5,
  name: 'audit rows not yet sealed',
  async up(db, engine) {
    if (engine.name === 'sqlite') return;
    await sql`create table audit_unsealed (seq bigint primary key)`.execute(db);
    await sql`insert into audit_unsealed select seq from audit_log
      where not exists (select 1 from audit_seals where audit_seq = seq)`.execute(db);
    await sql`create function note_unsealed() returns trigger language plpgsql as $$
      begin
        insert into audit_unsealed select seq from added;
        return null;
      end $$`.execute(db);
    await sql`create trigger note_unsealed after insert on audit_log
      referencing new table as added
      for each statement execute function note_unsealed()`.execute(db);
  },
};
