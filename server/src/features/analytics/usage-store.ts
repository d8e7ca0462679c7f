import { sql } from 'kysely';
import type { Storage, Tx } from '../../storage/index.ts';
import type { UsedAccessKey, UsedKey } from './usage-tally.ts';

/**
 * Selected from api_keys rather than given as values, so that a key erased since its last use is
 * passed over instead of failing the flush of all others. Sorted, so that flushes of several nodes
 * take row locks in one order.
 */
export function writeUsage(
  storage: Storage,
  keys: readonly UsedKey[],
  accessKeys: readonly UsedAccessKey[],
): Promise<void> {
  return storage.transaction(async (tx) => {
    if (keys.length > 0) {
      const rows = keys
        .toSorted((a, b) => a.seq - b.seq)
        .map((key) => [key.usedAt, key.usedAt, key.seq]);
      await storage.many(tx, keyUsed(tx), rows);
    }
    if (accessKeys.length > 0) {
      const rows = accessKeys
        .toSorted((a, b) => a.seq - b.seq)
        .map((key) => [key.usedAt, key.seq, key.usedAt]);
      await storage.many(tx, accessKeyUsed(tx), rows);
    }
  });
}

const keyUsed = (tx: Tx) =>
  tx
    .insertInto('key_usage')
    .columns(['key_seq', 'first_used_at', 'last_used_at'])
    .expression((eb) =>
      eb
        .selectFrom('api_keys')
        .select([
          'seq',
          sql<number>`cast(${0} as bigint)`.as('first_used_at'),
          sql<number>`cast(${0} as bigint)`.as('last_used_at'),
        ])
        .where('seq', '=', 0),
    )
    .onConflict((conflict) =>
      conflict
        .column('key_seq')
        .doUpdateSet((eb) => ({ last_used_at: eb.ref('excluded.last_used_at') }))
        .whereRef('key_usage.last_used_at', '<', 'excluded.last_used_at'),
    )
    .compile();

const accessKeyUsed = (tx: Tx) =>
  tx
    .updateTable('access_keys')
    .set({ last_used_at: 0 })
    .where('seq', '=', 0)
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', 0)]))
    .compile();
