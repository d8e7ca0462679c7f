import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openTestPostgres } from '../../../test/harness/postgres/postgres.ts';
import { migrate } from '../migrate.ts';
import { openSqlite } from '../sqlite.ts';
import { MoveSource } from './source.ts';
import { FILLED_BY_TRIGGERS, NOT_COPIED, SEEDED, sortTables } from './table-order.ts';

it('moves every table of the newest schema, or lists it as not copied', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'keyward-tables-'));
  const file = join(directory, 'keyward.db');
  const sqlite = await openSqlite({ file });
  await migrate(sqlite, 0);
  await sqlite.close();
  const source = new MoveSource(file);
  const moved = source.tables.map(({ name }) => name);
  source.close();
  rmSync(directory, { recursive: true });

  const { storage, dispose } = await openTestPostgres();
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = current_schema()`.execute(
    storage.read,
  );
  const filled: string[] = [];
  for (const { name } of rows)
    if ((await sql`select 1 from ${sql.table(name)} limit 1`.execute(storage.read)).rows.length > 0)
      filled.push(name);
  await dispose();

  expect(rows.map(({ name }) => name).sort()).toEqual(
    [...moved, ...Object.keys(NOT_COPIED)].sort(),
  );
  // These are filled by triggers, as soon as there are keys and audit rows.
  const written = Object.keys(NOT_COPIED).filter((name) => !FILLED_BY_TRIGGERS.includes(name));
  expect(filled.sort()).toEqual([...SEEDED, ...written].sort());
  for (const table of source.tables)
    for (const other of table.references)
      expect(moved.indexOf(other)).toBeLessThan(moved.indexOf(table.name));
});

it('refuses tables with circular references', () => {
  const table = (name: string, references: string[]) => ({
    name,
    columns: ['id'],
    primaryKey: ['id'],
    references,
  });
  expect(sortTables([table('b', ['a']), table('a', []), table('c', ['c'])])).toMatchObject([
    { name: 'a' },
    { name: 'b' },
    { name: 'c' },
  ]);
  expect(() => sortTables([table('b', ['a']), table('a', ['b'])])).toThrow(
    'circular references: a, b.',
  );
});
