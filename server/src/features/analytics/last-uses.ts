import type { Storage, Tx } from '../../storage/index.ts';

/** Rows are usedAt, seq, usedAt. That a key was ever used is recorded before, with its first use. */
export const recordLastUses = (
  storage: Storage,
  tx: Tx,
  rows: readonly (readonly number[])[],
): Promise<void> =>
  storage.many(
    tx,
    tx
      .updateTable('key_usage')
      .set({ last_used_at: 0 })
      .where('key_seq', '=', 0)
      .where('last_used_at', '<', 0)
      .compile(),
    rows,
  );

export const recordAccessKeyUses = (
  storage: Storage,
  tx: Tx,
  rows: readonly (readonly number[])[],
): Promise<void> =>
  storage.many(
    tx,
    tx
      .updateTable('access_keys')
      .set({ last_used_at: 0 })
      .where('seq', '=', 0)
      .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', 0)]))
      .compile(),
    rows,
  );
