import { type Kysely, sql } from 'kysely';
import type { Engine } from './engine.ts';
import type { Migration } from './migration.ts';

/** Keys and customers by tag, in the order of lists. Kept by triggers, so that no code can forget it. */
export const tagTables: Migration = {
  version: 24,
  name: 'keys and customers by tag',
  async up(db, engine) {
    for (const { table, owner } of TAGGED) {
      await createTable(db, engine, table, owner);
      await (engine.name === 'sqlite' ? sqliteTriggers : postgresTriggers)(db, table, owner);
      await sql
        .raw(`${insertInto(table)} select owner.account_id, tag.value, owner.id
          from ${owner} as owner, ${elements(engine, 'owner.tags')} as tag
          where owner.tags is not null on conflict do nothing`)
        .execute(db);
    }
  },
};

const TAGGED = [
  { table: 'key_tags', owner: 'api_keys' },
  { table: 'customer_tags', owner: 'customers' },
];

const insertInto = (table: string): string => `insert into ${table} (account_id, tag, owner_id)`;

/** A table with the column `value`. */
const elements = ({ name }: Pick<Engine, 'name'>, tags: string): string =>
  name === 'sqlite' ? `json_each(${tags})` : `jsonb_array_elements_text(${tags}::jsonb)`;

async function createTable(
  db: Kysely<unknown>,
  engine: Engine,
  table: string,
  owner: string,
): Promise<void> {
  await engine
    .clustered(
      db.schema
        .createTable(table)
        .addColumn('account_id', engine.id, (c) => c.notNull())
        .addColumn('tag', engine.text, (c) => c.notNull())
        .addColumn('owner_id', engine.id, (c) => c.notNull())
        .addPrimaryKeyConstraint(`${table}_of_${owner}`, ['account_id', 'tag', 'owner_id']),
    )
    .execute();
}

/** The statements for a row that appears, and for one that disappears. */
const inserting = (engine: Pick<Engine, 'name'>, table: string): string =>
  `${insertInto(table)} select new.account_id, tag.value, new.id
    from ${elements(engine, 'new.tags')} as tag where true on conflict do nothing;`;
const deleting = (engine: Pick<Engine, 'name'>, table: string): string =>
  `delete from ${table} where account_id = old.account_id and owner_id = old.id
    and tag in (select tag.value from ${elements(engine, 'old.tags')} as tag);`;

async function sqliteTriggers(db: Kysely<unknown>, table: string, owner: string): Promise<void> {
  const engine = { name: 'sqlite' } as const;
  const create = (event: string, when: string, statement: string) =>
    sql.raw(`create trigger ${event} on ${owner} when ${when} begin ${statement} end`).execute(db);
  await create(`${table}_new after insert`, 'new.tags is not null', inserting(engine, table));
  await create(`${table}_deleted after delete`, 'old.tags is not null', deleting(engine, table));
  await create(
    `${table}_changed after update of tags`,
    'new.tags is not old.tags',
    deleting(engine, table) + inserting(engine, table),
  );
}

async function postgresTriggers(db: Kysely<unknown>, table: string, owner: string): Promise<void> {
  const engine = { name: 'postgres' } as const;
  await sql
    .raw(`create function keep_${table}() returns trigger language plpgsql as $$
      begin
        if tg_op <> 'INSERT' then ${deleting(engine, table)} end if;
        if tg_op <> 'DELETE' then ${inserting(engine, table)} end if;
        return null;
      end $$`)
    .execute(db);
  const create = (event: string, when: string) =>
    sql
      .raw(`create trigger ${table}_${event} on ${owner}
        for each row when (${when}) execute function keep_${table}()`)
      .execute(db);
  await create('new after insert', 'new.tags is not null');
  await create('deleted after delete', 'old.tags is not null');
  await create('changed after update of tags', 'new.tags is distinct from old.tags');
}
