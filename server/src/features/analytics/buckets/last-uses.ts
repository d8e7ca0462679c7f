import type { Storage, Tx } from '../../../storage/index.ts';

/** `rows` are seq and time of use. The row of a key is created with its first use, before this. */
export const recordLastUses = (
  storage: Storage,
  tx: Tx,
  rows: readonly (readonly number[])[],
): Promise<void> =>
  storage.executeMany(
    tx,
    tx
      .updateTable('key_usage')
      .set({ last_used_at: 0 })
      .where('key_seq', '=', 0)
      .where('last_used_at', '<', 0)
      .compile(),
    rows.map(([seq, usedAt]) => [usedAt, seq, usedAt]),
  );

/** `rows` are seq and time of use. */
export const recordAccessKeyUses = (
  storage: Storage,
  tx: Tx,
  rows: readonly (readonly number[])[],
): Promise<void> =>
  storage.executeMany(
    tx,
    tx
      .updateTable('access_keys')
      .set({ last_used_at: 0 })
      .where('seq', '=', 0)
      .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', 0)]))
      .compile(),
    rows.map(([seq, usedAt]) => [usedAt, seq, usedAt]),
  );
