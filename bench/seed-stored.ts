import type { DatabaseSync } from 'node:sqlite';
import { deriveSecrets } from '../server/src/kernel/crypto.ts';
import { idFloor } from '../server/src/kernel/ids.ts';
import { generateValue, maskValue } from '../server/src/kernel/key-values.ts';
import { ROOT_SECRET } from './keyward-server.ts';
import { LIMIT, projectOf, seeding, withoutIndexes } from './seed.ts';

/** In the order in which SQLite compares texts. */
const BASE64URL = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';
/** Signs at the front of a hash that place it among the others; the rest is drawn by chance. */
const PLACING = 5;
const PLACES = 64 ** PLACING;
const HASH_LENGTH = 43;
/** Sorted in memory, and written in one statement. */
const BUCKETS = 64;

/**
 * Very many keys of which few are used: those have values, the others only a hash that no value
 * leads to, and are made by SQLite itself. Written in the order of their hashes, so that the index
 * of them is filled from left to right; the other indexes are made at the end. Answers the values.
 */
export function seedStored(dataDirectory: string, count: number, used: number): string[] {
  const values = Array.from({ length: used }, () => generateValue('live_'));
  seeding(dataDirectory, (database) => {
    withoutIndexes(database, () => {
      noteKnown(database, values);
      for (let bucket = 0; bucket < BUCKETS; bucket++) insertBucket(database, bucket, count - used);
    });
    const now = Date.now();
    database.exec(
      `INSERT INTO key_usage (key_seq, first_used_at, last_used_at) SELECT seq, ${now}, ${now} FROM api_keys`,
    );
  });
  return values;
}

/** Those with a value, where the buckets find them. */
function noteKnown(database: DatabaseSync, values: readonly string[]): void {
  const secrets = deriveSecrets(ROOT_SECRET);
  database.exec('CREATE TEMP TABLE known (hash TEXT, mask TEXT, place INTEGER, n INTEGER)');
  database.exec('BEGIN');
  const note = database.prepare('INSERT INTO known VALUES (?, ?, ?, ?)');
  for (const [n, value] of values.entries()) {
    const hash = secrets.hashValue(value);
    note.run(hash, maskValue(value), placeOf(hash), n);
  }
  database.exec('COMMIT; CREATE INDEX temp.known_place ON known (place)');
}

const placeOf = (hash: string): number =>
  [...hash.slice(0, PLACING)].reduce((place, sign) => place * 64 + BASE64URL.indexOf(sign), 0);

/** A part of all places, with its share of the fillers evenly over it. */
function insertBucket(database: DatabaseSync, bucket: number, fillers: number): void {
  const { id: projectId, account_id: accountId } = projectOf(database);
  const now = Date.now();
  const from = Math.ceil((bucket * fillers) / BUCKETS);
  const to = Math.ceil(((bucket + 1) * fillers) / BUCKETS);
  const size = PLACES / BUCKETS;
  // Ids in the order of the hashes too: time first, as those of the server, then the place.
  const floor = idFloor('key', now).slice(0, -16);
  database.exec(`
    INSERT INTO api_keys (id, account_id, project_id, name, hash, mask, custom_meta_data,
      is_active, rate_limit, rate_limit_ttl, creation_context, limit_group, created_at, updated_at)
    WITH RECURSIVE
      numbers(n) AS (SELECT ${from} WHERE ${from} < ${to}
        UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${to}),
      fillers(n, place) AS MATERIALIZED (SELECT n, n * ${PLACES} / ${fillers || 1} FROM numbers),
      keys(n, place, hash, mask) AS (
        SELECT n, place, ${placedHash('place')}, 'live_AbCdEf*********' FROM fillers
        UNION ALL
        SELECT n, place, hash, mask FROM known
        WHERE place >= ${bucket * size} AND place < ${(bucket + 1) * size}),
      named(id, n, hash, mask) AS (
        SELECT '${floor}' || printf('%08x', place) || lower(hex(randomblob(4))), n, hash, mask
        FROM keys ORDER BY hash)
    SELECT id, '${accountId}', '${projectId}', 'Key ' || (n + 1), hash, mask, '{}', 1,
      iif(n % 2 = 0, ${LIMIT.rateLimit}, NULL), iif(n % 2 = 0, ${LIMIT.rateLimitTtl}, NULL),
      '{}', id, ${now}, ${now}
    FROM named`);
}

/** As SQL: the signs that stand for a place, and a rest by chance. */
function placedHash(place: string): string {
  const signs = Array.from({ length: PLACING }, (_, n) => {
    const bits = 6 * (PLACING - 1 - n);
    return `substr('${BASE64URL}', ((${place} >> ${bits}) & 63) + 1, 1)`;
  });
  const rest = HASH_LENGTH - PLACING;
  return `${signs.join(' || ')} || substr(hex(randomblob(${Math.ceil(rest / 2)})), 1, ${rest})`;
}
