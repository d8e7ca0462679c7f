import { type Kysely, sql } from 'kysely';
import { expect, it } from 'vitest';
import { migrations } from '../../src/storage/migrations/index.ts';
import { narrowing, statementsOf } from './migration-rules.ts';

/** Until this migration, two versions never ran side by side. */
const BEFORE_CLUSTERS = 9;

it.each(['sqlite', 'postgres'] as const)(
  'a migration that removes something on %s sets compatibleFrom',
  async (engine) => {
    for (const migration of migrations.filter(({ version }) => version > BEFORE_CLUSTERS)) {
      const removing = narrowing(await statementsOf(migration, engine));
      const from = migration.compatibleFrom?.[engine];
      if (from === undefined)
        expect(removing, `migration ${migration.version} needs compatibleFrom`).toEqual([]);
      else expect(from).toBeLessThanOrEqual(migration.version);
    }
  },
);

it('distinguishes removing from adding migrations', async () => {
  const additions = [
    'create table "new" ("id" text not null)',
    'alter table "new" add column "b" text not null',
    'create unique index "new_by_id" on "new" ("id")',
    'create index "old_by_id" on "old" ("id")',
    'alter table "old" add column "a" text',
    'alter table "old" add column "a" integer default 0 not null',
    'alter table "old" add column "a" integer not null default 0',
    'insert into "new" values (1)',
  ];
  const removals = [
    'drop table "old"',
    'drop index "old_by_id"',
    'alter table "old" drop column "a"',
    'alter table "old" rename to "other"',
    'alter table "old" rename column "a" to "b"',
    'alter table "old" alter column "a" type text',
    'alter table "old" alter column "a" set not null',
    'alter table "old" add column "a" text not null',
    'alter table "old" add column "a" text unique',
    'alter table "old" add constraint "c" check (a > 0)',
    'create unique index "old_by_a" on "old" ("a")',
    'update "old" set "a" = 1',
    'delete from "old"',
  ];
  expect(narrowing([...additions, ...removals])).toEqual(removals);
  const step = {
    version: 1,
    name: 'recorded',
    async up(db: Kysely<unknown>) {
      await db.schema.alterTable('old').dropColumn('a').execute();
      await sql`update old
        set a = 1`.execute(db);
    },
  };
  const recorded = await statementsOf(step, 'postgres');
  expect(recorded).toEqual(['alter table "old" drop column "a"', 'update old set a = 1']);
});
