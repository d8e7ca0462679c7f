import { existsSync, readFileSync } from 'node:fs';
import { sql } from 'kysely';
import type { TestApp } from '../harness/test-app.ts';

/** The bytes on disk, of the database and of its log: what a thief of the files would read. */
export async function rawDatabase(test: TestApp): Promise<Buffer> {
  const { rows } = await sql<{ file: string }>`pragma database_list`.execute(test.storage.point);
  const { file } = rows[0]!;
  return Buffer.concat(
    [file, `${file}-wal`].filter((path) => existsSync(path)).map((path) => readFileSync(path)),
  );
}
