import type { DatabaseSync } from 'node:sqlite';
import { keyedHash } from '../../kernel/keyed-hash.ts';

/**
 * `keyed_hash(key, text)` in SQL: HMAC-SHA-256 under a key in base64url, as kernel/keyed-hash.ts makes
 * it. Rows are hashed where they are read, and need not travel for it.
 */
export function addKeyedHash(database: DatabaseSync): void {
  let lastKey = '';
  let hash = keyedHash(Buffer.alloc(0));
  // Not from triggers or views: only a query of ours says what is hashed.
  const options = { deterministic: true, directOnly: true };
  database.function('keyed_hash', options, (key, text) => {
    if (key !== lastKey) {
      hash = keyedHash(Buffer.from(key as string, 'base64url'));
      lastKey = key as string;
    }
    return hash(text as string);
  });
}
