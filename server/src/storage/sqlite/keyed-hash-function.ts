import type { DatabaseSync } from 'node:sqlite';
import { keyedHash } from '../../kernel/secrets/crypto.ts';

/**
 * Adds the SQL function `keyed_hash(key, text)`: HMAC-SHA-256 with a base64url key, as in
 * kernel/secrets/crypto.ts. Rows are hashed on the reader thread, so that they need not be sent to the
 * main thread.
 */
export function addKeyedHash(database: DatabaseSync): void {
  // directOnly: triggers and views cannot call it, only our own queries.
  const options = { deterministic: true, directOnly: true };
  database.function('keyed_hash', options, (key, text) =>
    keyedHash(Buffer.from(key as string, 'base64url'), text as string),
  );
}
