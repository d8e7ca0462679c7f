import { existsSync, readFileSync } from 'node:fs';
import { sql } from 'kysely';
import type { TestApp } from '../harness/test-app.ts';

/** The complete content of the database, as an attacker with a copy would read it. */
export async function rawDatabase(test: TestApp): Promise<Buffer> {
  return test.storage.engine === 'sqlite' ? sqliteFiles(test) : postgresRows(test);
}

/** The bytes of the database file and its WAL. */
async function sqliteFiles(test: TestApp): Promise<Buffer> {
  const { rows } = await sql<{ file: string }>`pragma database_list`.execute(test.storage.point);
  const { file } = rows[0]!;
  return Buffer.concat(
    [file, `${file}-wal`].filter((path) => existsSync(path)).map((path) => readFileSync(path)),
  );
}

/** Every row of every table as text, because PostgreSQL compresses long values in its files. */
async function postgresRows(test: TestApp): Promise<Buffer> {
  const tables = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public'`.execute(
    test.storage.read,
  );
  const texts: string[] = [];
  for (const { name } of tables.rows) {
    const table = sql.table(name);
    const { rows } = await sql<{ line: string }>`select t::text as line from ${table} as t`.execute(
      test.storage.read,
    );
    texts.push(...rows.map(({ line }) => line));
  }
  return Buffer.from(texts.join('\n'));
}
