import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { createIds } from '#server/kernel/ids.ts';
import { deriveSecrets } from '#server/kernel/secrets/crypto.ts';
import { generateValue, maskValue } from '#server/kernel/secrets/key-values.ts';
import { ROOT_SECRET, startKeyward } from './keyward.ts';
import { createFolder } from './processes.ts';

/** High enough that no run reaches it. */
const RATE_LIMIT = 1_000_000;
const RATE_LIMIT_SECONDS = 3600;
const ROWS_PER_TRANSACTION = 50_000;
const ROWS_PER_STATEMENT = 5_000;

/** A data directory with keys. Keys at even positions have a rate limit. */
export interface Dataset {
  readonly folder: string;
  readonly keys: readonly string[];
}

const COLUMNS = [
  ...['id', 'account_id', 'project_id', 'name', 'hash', 'mask', 'custom_meta_data', 'is_active'],
  ...[
    'rate_limit',
    'rate_limit_ttl',
    'creation_context',
    'limit_group',
    'created_at',
    'updated_at',
  ],
];
type Value = string | number | null;

/** Makes keys with the values, ids and hashes that the server would make. */
function keyFactory(project: { id: string; account_id: string }) {
  const secrets = deriveSecrets(ROOT_SECRET);
  const createId = createIds();
  return (n: number): { value: string; row: Value[] } => {
    const value = generateValue('live_');
    const id = createId('key');
    const now = Date.now();
    const limit = n % 2 === 0 ? [RATE_LIMIT, RATE_LIMIT_SECONDS] : [null, null];
    const names = [id, project.account_id, project.id, `Key ${n + 1}`];
    const texts = [secrets.hashValue(value), maskValue(value), '{}'];
    return { value, row: [...names, ...texts, 1, ...limit, '{}', id, now, now] };
  };
}

let template: Promise<string> | null = null;

/** A data directory that the server has initialised once; copying it is faster than starting. */
async function initialisedFolder(lifetime: 'scenario' | 'run'): Promise<string> {
  template ??= (async () => {
    const folder = createFolder('run');
    await (await startKeyward(folder)).stop();
    return folder;
  })();
  const folder = createFolder(lifetime);
  cpSync(await template, folder, { recursive: true });
  return folder;
}

/**
 * Writes keys directly into the database file, because a million keys would take too long over the
 * API. All have been used before.
 */
export async function createDataset(
  count: number,
  lifetime: 'scenario' | 'run' = 'scenario',
): Promise<Dataset> {
  const folder = await initialisedFolder(lifetime);
  const keys: string[] = [];
  editDatabase(folder, (database) => {
    // The file can be made again, so nothing is synced or journaled while it is filled.
    database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF');
    database.exec('PRAGMA cache_size = -1048576');
    withoutIndexes(database, () => insertKeys(database, count, keys));
    database.exec(`INSERT INTO key_usage (key_seq, first_used_at, last_used_at)
      SELECT seq, created_at, created_at FROM api_keys`);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA wal_checkpoint(TRUNCATE)');
  });
  return { folder, keys };
}

let stored: Promise<Dataset> | null = null;

/** The keys of `stored-keys` and `usage`, written once for both. */
export function storedDataset(count: number): Promise<Dataset> {
  stored ??= createDataset(count, 'run');
  return stored;
}

/** Opens the database of a stopped server. */
export function editDatabase<T>(folder: string, edit: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(join(folder, 'keyward.db'));
  try {
    return edit(database);
  } finally {
    database.close();
  }
}

/** Building each index once at the end is several times faster than updating it for every row. */
function withoutIndexes(database: DatabaseSync, insert: () => void): void {
  const indexes = database
    .prepare(`SELECT name, sql FROM sqlite_schema
      WHERE tbl_name = 'api_keys' AND type = 'index' AND sql IS NOT NULL`)
    .all() as { name: string; sql: string }[];
  for (const { name } of indexes) database.exec(`DROP INDEX "${name}"`);
  insert();
  for (const { sql } of indexes) database.exec(sql);
}

const PROJECT = "SELECT id, account_id FROM projects WHERE env = 'live' LIMIT 1";

function insertKeys(database: DatabaseSync, count: number, keys: string[]): void {
  const project = database.prepare(PROJECT).get() as { id: string; account_id: string };
  const createKey = keyFactory(project);
  const insert = database.prepare(
    `INSERT INTO api_keys (${COLUMNS.join()}) VALUES (${COLUMNS.map(() => '?').join()})`,
  );
  for (let n = 0; n < count; n++) {
    if (n % ROWS_PER_TRANSACTION === 0) database.exec(n === 0 ? 'BEGIN' : 'COMMIT; BEGIN');
    const { value, row } = createKey(n);
    insert.run(...row);
    keys.push(value);
  }
  if (count > 0) database.exec('COMMIT');
}

/** Writes keys into a PostgreSQL database that a node has initialised. All have been used before. */
export async function seedPostgres(url: string, count: number): Promise<string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string; account_id: string }>(PROJECT);
    const createKey = keyFactory(rows[0]!);
    const keys: string[] = [];
    while (keys.length < count) {
      const batch: Record<string, Value>[] = [];
      while (batch.length < ROWS_PER_STATEMENT && keys.length < count) {
        const { value, row } = createKey(keys.length);
        keys.push(value);
        batch.push(Object.fromEntries(COLUMNS.map((column, n) => [column, row[n]!])));
      }
      await client.query(
        `INSERT INTO api_keys (${COLUMNS.join()}) SELECT ${COLUMNS.join()}
          FROM json_populate_recordset(null::api_keys, $1)`,
        [JSON.stringify(batch)],
      );
    }
    await client.query(`INSERT INTO key_usage (key_seq, first_used_at, last_used_at)
      SELECT seq, created_at, created_at FROM api_keys ON CONFLICT DO NOTHING`);
    await client.query('ANALYZE');
    return keys;
  } finally {
    await client.end();
  }
}

/** Well-formed keys that do not exist: each needs a lookup in storage. */
export const unknownKeys = (count: number): string[] =>
  Array.from({ length: count }, () => generateValue('live_'));

/** Keys with a wrong checksum, which the server rejects without a lookup. */
export const malformedKeys = (count: number): string[] =>
  unknownKeys(count).map((value) => value.slice(0, -1) + (value.endsWith('0') ? '1' : '0'));
