import { randomBytes } from 'node:crypto';
import { deriveSecrets } from '../server/src/kernel/crypto.ts';
import { createIds } from '../server/src/kernel/ids.ts';
import { generateValue, maskValue } from '../server/src/kernel/key-values.ts';
import { ROOT_SECRET } from './keyward-server.ts';
import { LIMIT, openForSeeding, projectOf, withoutIndexes } from './seed.ts';

/** In the order in which SQLite compares texts. */
const BASE64URL = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';
const HASH_BYTES = 32;

interface Stored {
  readonly hash: string;
  readonly mask: string;
}

/**
 * Very many keys of which few are used: those have values, the others only a hash that no value
 * leads to. Written in the order of their hashes, bucket by bucket, so that the index of them is
 * filled from left to right; the other indexes are made at the end. Ten million take minutes so,
 * and hours in the order of their making. Answers the values.
 */
export function seedStored(dataDirectory: string, count: number, used: number): string[] {
  const database = openForSeeding(dataDirectory);
  try {
    const secrets = deriveSecrets(ROOT_SECRET);
    const values = Array.from({ length: used }, () => generateValue('live_'));
    const known = Map.groupBy(
      values.map((value) => ({ hash: secrets.hashValue(value), mask: maskValue(value) })),
      ({ hash }) => hash.slice(0, 2),
    );
    const { id: projectId, account_id: accountId } = projectOf(database);
    const makeId = createIds();
    const now = Date.now();
    let written = 0;
    withoutIndexes(database, () => {
      const insert = database.prepare(`
        INSERT INTO api_keys (id, account_id, project_id, name, hash, mask, custom_meta_data,
          is_active, rate_limit, rate_limit_ttl, creation_context, limit_group, created_at,
          updated_at)
        VALUES (?1, '${accountId}', '${projectId}', ?2, ?3, ?4, '{}', 1, ?5, ?6, '{}', ?1, ?7, ?7)`);
      for (const bucket of bucketsOf(count - used, known)) {
        database.exec('BEGIN');
        for (const { hash, mask } of bucket) {
          const isLimited = written % 2 === 0;
          insert.run(
            makeId('key'),
            `Key ${++written}`,
            hash,
            mask,
            isLimited ? LIMIT.rateLimit : null,
            isLimited ? LIMIT.rateLimitTtl : null,
            now,
          );
        }
        database.exec('COMMIT');
      }
    });
    database.exec(
      `INSERT INTO key_usage (key_seq, first_used_at, last_used_at) SELECT seq, ${now}, ${now} FROM api_keys`,
    );
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    return values;
  } finally {
    database.close();
  }
}

/** All hashes that begin with the same two signs, in order, then the next. */
function* bucketsOf(
  fillers: number,
  known: ReadonlyMap<string, readonly Stored[]>,
): Generator<Stored[]> {
  const starts = [...BASE64URL].flatMap((first) => [...BASE64URL].map((next) => first + next));
  for (const [n, start] of starts.entries()) {
    const share =
      Math.floor(((n + 1) * fillers) / starts.length) - Math.floor((n * fillers) / starts.length);
    const random = Array.from({ length: share }, () => ({
      hash: start + randomBytes(HASH_BYTES).toString('base64url').slice(2),
      mask: 'live_AbCdEf*********',
    }));
    yield [...random, ...(known.get(start) ?? [])].sort((a, b) => (a.hash < b.hash ? -1 : 1));
  }
}
