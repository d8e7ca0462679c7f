import { type Kysely, sql } from 'kysely';
import { index, type Migration } from './migration.ts';

/**
 * The hour in which each key was last used, in the order of long lists. Usage is written up to four times a
 * second; the row of a key moves at most once an hour: docs/decisions/0076-long-lists.md
 */
export const lastUseHours: Migration = {
  version: 25,
  name: 'hours of last use',
  async up(db, engine) {
    await db.schema
      .createTable('last_use_hours')
      .addColumn('key_seq', engine.sequenceValue, (c) =>
        c.primaryKey().notNull().references('api_keys.seq').onDelete('cascade'),
      )
      .addColumn('account_id', engine.id, (c) => c.notNull())
      .addColumn('hour', 'bigint', (c) => c.notNull())
      .addColumn('key_id', engine.id, (c) => c.notNull())
      .execute();
    await (engine.name === 'sqlite' ? sqliteTriggers(db) : postgresTriggers(db));
    await sql
      .raw(`insert into last_use_hours (key_seq, account_id, hour, key_id)
        select key_seq, account_id, ${hourOf('last_used_at')}, id
        from key_usage join api_keys on api_keys.seq = key_usage.key_seq order by key_seq`)
      .execute(db);
    // Built at the end, from sorted rows.
    await index(db, 'last_use_hours', ['account_id', 'hour', 'key_id']);
  },
};

/** In milliseconds, like all times. */
const hourOf = (time: string): string => `${time} - ${time} % 3600000`;

const FIRST = `insert into last_use_hours (key_seq, account_id, hour, key_id)
  select seq, account_id, ${hourOf('new.last_used_at')}, id from api_keys where seq = new.key_seq
  on conflict (key_seq) do update set hour = excluded.hour;`;
const MOVED = `update last_use_hours set hour = ${hourOf('new.last_used_at')} where key_seq = new.key_seq;`;
const IS_OTHER_HOUR = 'old.last_used_at / 3600000 <> new.last_used_at / 3600000';

async function sqliteTriggers(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`create trigger first_use_hour after insert on key_usage begin ${FIRST} end`)
    .execute(db);
  await sql
    .raw(`create trigger next_use_hour after update of last_used_at on key_usage
      when ${IS_OTHER_HOUR} begin ${MOVED} end`)
    .execute(db);
}

async function postgresTriggers(db: Kysely<unknown>): Promise<void> {
  const create = async (name: string, event: string, when: string, statement: string) => {
    await sql
      .raw(`create function ${name}() returns trigger language plpgsql as $$
        begin ${statement} return null; end $$`)
      .execute(db);
    await sql
      .raw(`create trigger ${name} ${event} on key_usage
        for each row ${when} execute function ${name}()`)
      .execute(db);
  };
  await create('first_use_hour', 'after insert', '', FIRST);
  await create('next_use_hour', 'after update of last_used_at', `when (${IS_OTHER_HOUR})`, MOVED);
}
