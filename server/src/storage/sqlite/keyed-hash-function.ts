import type { DatabaseSync } from 'node:sqlite';
import { keyedHash } from '../../kernel/secrets/keyed-hash.ts';

/**
 * Adds the SQL function `keyed_hash(key, text)`: HMAC-SHA-256 with a base64url key, as in
 * kernel/secrets/keyed-hash.ts. Rows are hashed on the reader thread, so that they need not be sent to the
 * main thread.
 */
export function addKeyedHash(database: DatabaseSync): void {
  let lastKey = '';
  let hash = keyedHash(Buffer.alloc(0));
  // directOnly: triggers and views cannot call it, only our own queries.
  const options = { deterministic: true, directOnly: true };
  database.function('keyed_hash', options, (key, text) => {
    if (key !== lastKey) {
      hash = keyedHash(Buffer.from(key as string, 'base64url'));
      lastKey = key as string;
    }
    return hash(text as string);
  });
}
