import type { Kysely } from 'kysely';
import { Client } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { migrate, schemaVersion } from '../../src/storage/migrate.ts';
import { migrations } from '../../src/storage/migrations/index.ts';
import type { Migration } from '../../src/storage/migrations/migration.ts';
import { openTestPostgres } from '../harness/postgres/postgres.ts';

const expanding: Migration = {
  version: schemaVersion + 1,
  name: 'next version',
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('api_keys').addColumn('colour', 'text').execute();
  },
};

it('a migration that waits for a table does not keep others from using it', async () => {
  const { storage, url, dispose } = await openTestPostgres();
  const dump = new Client({ connectionString: url, application_name: 'a dump' });
  const reader = new Client({ connectionString: url });
  onTestFinished(async () => {
    await Promise.all([dump.end(), reader.end()]);
    await dispose();
  });
  await Promise.all([dump.connect(), reader.connect()]);
  await dump.query('begin; lock table api_keys in access share mode');

  const waits: string[] = [];
  const migrating = migrate(storage, 0, {
    migrations: [...migrations, expanding],
    onWait: (message) => waits.push(message),
  });
  const waiting = "select from pg_locks where relation = 'api_keys'::regclass and not granted";
  await expect.poll(async () => (await reader.query(waiting)).rowCount).toBe(1);
  // This query waits until the migration gives up, but not for the dump.
  await reader.query("set lock_timeout = '60s'; select from api_keys");
  await expect.poll(() => waits).not.toEqual([]);
  expect(waits[0]).toMatch(
    /^Migration \d+ \(next version\) waits for a table that another transaction uses\. The oldest open transaction belongs to process \d+ \(a dump\)\. Trying again in 2 s\.$/,
  );

  await dump.query('commit');
  expect(await migrating).toEqual({ from: schemaVersion, to: schemaVersion + 1 });
  expect((await reader.query('select colour from api_keys')).rowCount).toBe(0);
});
