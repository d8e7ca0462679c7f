import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { firstBoot } from '../server/src/app/first-boot.ts';
import { deriveSecrets } from '../server/src/kernel/crypto.ts';
import { createIds, isIdOf } from '../server/src/kernel/ids.ts';
import { migrate } from '../server/src/storage/migrate.ts';
import { openSqlite } from '../server/src/storage/sqlite.ts';
import { ACCESS_KEY, ROOT_SECRET } from './keyward-server.ts';
import { LIMIT } from './seed.ts';
import { seedStored } from './seed-stored.ts';

let folder: string;
const secrets = deriveSecrets(ROOT_SECRET);

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'keyward-seed-'));
  const storage = await openSqlite({ file: join(folder, 'keyward.db') });
  await migrate(storage, Date.now());
  await firstBoot(storage, secrets, createIds(), Date.now(), ACCESS_KEY);
  await storage.close();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('stores as many as asked for, in the order of their hashes, the used ones to be found', () => {
  const values = seedStored(folder, 6_000, 100);
  const database = new DatabaseSync(join(folder, 'keyward.db'));
  const rows = database.prepare('SELECT id, hash, rate_limit FROM api_keys ORDER BY seq').all() as {
    id: string;
    hash: string;
    rate_limit: number | null;
  }[];
  const journal = database.prepare('PRAGMA journal_mode').get();
  const indexes = database
    .prepare(
      "SELECT count(*) AS n FROM sqlite_schema WHERE tbl_name = 'api_keys' AND sql LIKE 'create index%'",
    )
    .get() as { n: number };
  const used = database.prepare('SELECT count(*) AS n FROM key_usage').get() as { n: number };
  database.close();

  const stored = rows.map(({ hash }) => hash);
  expect(stored).toHaveLength(6_000);
  expect(stored).toEqual(stored.toSorted((a, b) => (a < b ? -1 : 1)));
  expect(new Set(stored).size).toBe(6_000);
  expect(values).toHaveLength(100);
  const limits = new Map(rows.map(({ hash, rate_limit }) => [hash, rate_limit]));
  expect(values.map((value) => limits.get(secrets.hashValue(value)))).toEqual(
    values.map((_, n) => (n % 2 === 0 ? LIMIT.rateLimit : null)),
  );
  expect(rows.every(({ id, hash }) => isIdOf('key', id) && /^[\w-]{43}$/.test(hash))).toBe(true);
  expect(journal).toEqual({ journal_mode: 'wal' });
  expect(indexes.n).toBeGreaterThan(0);
  expect(used.n).toBe(6_000);
});
