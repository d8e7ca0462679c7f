import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { RETENTION } from '../../src/storage/schema/index.ts';
import { openTestSqlite } from './open-test-sqlite.ts';

const PAGE = fileURLToPath(new URL('../../../docs/reference/retention.md', import.meta.url));

it('is stated for every table of the database', async () => {
  const { storage, dispose } = await openTestSqlite();
  const { rows } = await sql<{ name: string }>`select name from sqlite_schema
    where type = 'table' and name not like 'sqlite%' and name not like 'schema%'`.execute(
    storage.read,
  );
  await dispose();
  expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(RETENTION).sort());
});

it('is documented as it is stated', () => {
  const rows = readFileSync(PAGE, 'utf8').matchAll(/^\| `(\w+)` \| (.+) \|$/gm);
  expect([...rows].map(([, table, kept]) => [table, kept])).toEqual(Object.entries(RETENTION));
});
