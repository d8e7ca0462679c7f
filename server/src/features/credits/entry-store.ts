import type { Entry } from '@keyward/rules/credits/pool.ts';
import type { Tx } from '../../storage/index.ts';
import { executeMany } from '../../storage/index.ts';
import { ownerColumns, type PoolOwner } from './pool-owner.ts';

/** Adds entries to the statements of their pools. Use of one day is one line. */
export const writeEntries = (
  tx: Tx,
  pools: readonly { readonly owner: PoolOwner; readonly entries: readonly Entry[] }[],
): Promise<void> =>
  executeMany(
    tx,
    pools.flatMap(({ owner, entries }) =>
      entries.map((entry) => ({ ...ownerColumns(owner), ...entry })),
    ),
    ({ project_id, owner_type, owner, day, kind, ref, amount, note }) =>
      tx
        .insertInto('credit_entries')
        .values({ project_id, owner_type, owner, day, kind, ref, amount, note })
        .onConflict((conflict) =>
          conflict
            .columns(['project_id', 'owner_type', 'owner', 'day', 'kind', 'ref'])
            .doUpdateSet(({ ref, eb }) => ({
              amount: eb(ref('credit_entries.amount'), '+', ref('excluded.amount')),
            })),
        ),
  );
