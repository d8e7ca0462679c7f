import { executeMany, type Tx } from '../../../storage/index.ts';

/** Seq and time of use. */
type Use = readonly number[];

const toRow = ([seq, usedAt]: Use) => ({ seq: seq!, usedAt: usedAt! });

/** Only updates rows: the row of a key was created when its first use was recorded. */
export const recordLastUses = (tx: Tx, uses: readonly Use[]): Promise<void> =>
  executeMany(tx, uses.map(toRow), ({ seq, usedAt }) =>
    tx
      .updateTable('key_usage')
      .set({ last_used_at: usedAt })
      .where('key_seq', '=', seq)
      .where('last_used_at', '<', usedAt),
  );

export const recordAccessKeyUses = (tx: Tx, uses: readonly Use[]): Promise<void> =>
  executeMany(tx, uses.map(toRow), ({ seq, usedAt }) =>
    tx
      .updateTable('access_keys')
      .set({ last_used_at: usedAt })
      .where('seq', '=', seq)
      .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', usedAt)])),
  );
