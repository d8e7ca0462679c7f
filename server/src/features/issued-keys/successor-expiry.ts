import { KeywardError } from '../../kernel/errors.ts';
import type { Tx } from '../../storage/index.ts';

interface RotatedRow {
  readonly rotated_to: string | null;
  readonly expires_at: number | null;
}

/**
 * The expiry for the successor of a valid key. A rotation with a grace period shortens the expiry of the
 * old key, and its successor keeps the original expiry. So this follows the rotations to the latest key
 * that still exists, and returns the expiry of that key. Throws if that key has expired.
 */
export async function successorExpiry(
  tx: Tx,
  table: 'api_keys' | 'access_keys',
  key: RotatedRow,
  now: number,
): Promise<number | null> {
  let latest = key;
  while (latest.rotated_to !== null) {
    const successor = await tx
      .selectFrom(table)
      .select(['rotated_to', 'expires_at'])
      .where('id', '=', latest.rotated_to)
      .executeTakeFirst();
    if (successor === undefined) break;
    latest = successor;
  }
  if (latest.expires_at !== null && latest.expires_at <= now)
    throw new KeywardError(
      'key_inactive',
      'The key that replaced this one has expired. Set a later expiry for it first.',
    );
  return latest.expires_at;
}
