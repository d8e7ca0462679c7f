import type { Tx } from '../../storage/index.ts';

interface RotatedRow {
  readonly rotated_to: string | null;
  readonly expires_at: number | null;
}

/**
 * The expiry of a key without grace periods: a rotation with one replaces the expiry of the old key, and
 * its successor keeps the original. If a successor was deleted, the last known expiry.
 */
export async function expiryWithoutGrace(
  tx: Tx,
  table: 'api_keys' | 'access_keys',
  key: RotatedRow,
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
  return latest.expires_at;
}
