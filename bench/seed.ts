import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { deriveSecrets } from '../server/src/kernel/crypto.ts';
import { createIds } from '../server/src/kernel/ids.ts';
import { generateValue, maskValue } from '../server/src/kernel/key-values.ts';
import { ROOT_SECRET } from './keyward-server.ts';

/** Half of the keys carry a limit that no run reaches. */
export const LIMIT = { rateLimit: 1_000_000, rateLimitTtl: 3600 };
const ROWS_PER_TRANSACTION = 50_000;

/**
 * Writes keys straight into the file of a stopped server, with the server's own rules for values,
 * ids and hashes: a million through the API would take longer than the benchmark. Every other key
 * is limited, and all have been used before, as keys at work have. Returns the values, in the order of their making.
 */
export const seedKeys = (dataDirectory: string, count: number): string[] =>
  seeding(dataDirectory, (database) => withoutIndexes(database, () => insertKeys(database, count)));

/**
 * For writing very much into the file of a stopped server. A lost benchmark file is made again: so
 * nothing is synced, kept to be taken back, or written twice by way of a log. Left behind as the
 * server leaves its file when it stops.
 */
export function seeding<T>(dataDirectory: string, work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(join(dataDirectory, 'keyward.db'));
  try {
    database.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF;
      PRAGMA cache_size = -262144`);
    const made = work(database);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA wal_checkpoint(TRUNCATE)');
    return made;
  } finally {
    database.close();
  }
}

/** Sorting each index once at the end takes a fraction of keeping it in order row by row. */
export function withoutIndexes<T>(database: DatabaseSync, work: () => T): T {
  const indexes = database
    .prepare("SELECT name, sql FROM sqlite_schema WHERE tbl_name = 'api_keys' AND type = 'index'")
    .all() as { name: string; sql: string | null }[];
  // Those without a text belong to a constraint and stay.
  const droppable = indexes.filter(({ sql }) => sql !== null);
  for (const { name } of droppable) database.exec(`DROP INDEX "${name}"`);
  const made = work();
  for (const { sql } of droppable) database.exec(sql!);
  return made;
}

interface Project {
  readonly id: string;
  readonly account_id: string;
}

export function projectOf(database: DatabaseSync): Project {
  const project = database
    .prepare("SELECT id, account_id FROM projects WHERE env = 'live' LIMIT 1")
    .get() as Project | undefined;
  if (project === undefined) throw new Error('The first boot made no project.');
  return project;
}

function insertKeys(database: DatabaseSync, count: number): string[] {
  const project = projectOf(database);
  const insert = database.prepare(`
    INSERT INTO api_keys (id, account_id, project_id, name, hash, mask, custom_meta_data, is_active,
      rate_limit, rate_limit_ttl, creation_context, limit_group, created_at, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, '{}', 1, ?, ?, '{}', ?, ?, ?)`);
  const use = database.prepare(
    'INSERT INTO key_usage (key_seq, first_used_at, last_used_at) VALUES (?, ?, ?)',
  );
  const makeId = createIds();
  const secrets = deriveSecrets(ROOT_SECRET);
  const values: string[] = [];
  for (let n = 0; n < count; n++) {
    if (n % ROWS_PER_TRANSACTION === 0) database.exec(n === 0 ? 'BEGIN' : 'COMMIT; BEGIN');
    const value = generateValue('live_');
    const id = makeId('key');
    const now = Date.now();
    const limited = n % 2 === 0;
    const { lastInsertRowid } = insert.run(
      id,
      project.account_id,
      project.id,
      `Key ${n + 1}`,
      secrets.hashValue(value),
      maskValue(value),
      limited ? LIMIT.rateLimit : null,
      limited ? LIMIT.rateLimitTtl : null,
      id,
      now,
      now,
    );
    use.run(lastInsertRowid, now, now);
    values.push(value);
  }
  if (count > 0) database.exec('COMMIT');
  return values;
}
