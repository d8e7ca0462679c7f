import { sql } from 'kysely';
import type { Storage, Tx } from '../../../storage/index.ts';
import { GroupedStatement } from './grouped-statement.ts';

const lastUses = new GroupedStatement((tx, rows) => {
  const use = sql`(cast(${0} as bigint), cast(${0} as bigint))`;
  const uses = sql.join(Array.from({ length: rows }, () => use));
  return sql`with uses (seq, used_at) as (values ${uses})
    update key_usage set last_used_at = uses.used_at from uses
    where key_usage.key_seq = uses.seq and key_usage.last_used_at < uses.used_at`.compile(tx);
});

/** Rows are seq and usedAt. That a key was ever used is recorded before, with its first use. */
export const recordLastUses = (
  storage: Storage,
  tx: Tx,
  rows: readonly (readonly number[])[],
): Promise<void> => lastUses.run(storage, tx, rows);

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
    rows,
  );
