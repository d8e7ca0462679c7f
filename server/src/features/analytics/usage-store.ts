import { type ExpressionBuilder, sql } from 'kysely';
import type { Database, Storage, Tx } from '../../storage/index.ts';
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
  onFirstUses: (tx: Tx, keySeqs: readonly number[]) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  return storage.transaction(async (tx) => {
    const firsts = await recordFirstUses(
      tx,
      keys.filter((key) => key.firstUsedAt === null),
    );
    const woken = firsts.length === 0 ? [] : await onFirstUses(tx, firsts);
    if (keys.length > 0) {
      const rows = keys
        .toSorted((a, b) => a.seq - b.seq)
        .map((key) => [key.usedSince, key.usedAt, key.seq]);
      await storage.many(tx, keyUsed(tx), rows);
    }
    if (accessKeys.length > 0) {
      const rows = accessKeys
        .toSorted((a, b) => a.seq - b.seq)
        .map((key) => [key.usedAt, key.seq, key.usedAt]);
      await storage.many(tx, accessKeyUsed(tx), rows);
    }
    return woken;
  });
}

/** Keys in one statement; far below what either database takes as parameters. */
const CHUNK = 500;

/** Those that this flush was the first to record: another node may have been quicker with some. */
async function recordFirstUses(tx: Tx, candidates: readonly UsedKey[]): Promise<number[]> {
  const recorded: number[] = [];
  for (const [usedSince, group] of Map.groupBy(candidates, (key) => key.usedSince)) {
    const seqs = group.map((key) => key.seq).sort((a, b) => a - b);
    for (let start = 0; start < seqs.length; start += CHUNK) {
      const rows = await tx
        .insertInto('key_usage')
        .columns(['key_seq', 'first_used_at', 'last_used_at'])
        .expression((eb) =>
          usageRows(eb, usedSince).where('seq', 'in', seqs.slice(start, start + CHUNK)),
        )
        .onConflict((conflict) => conflict.column('key_seq').doNothing())
        .returning('key_seq')
        .execute();
      for (const row of rows) recorded.push(row.key_seq);
    }
  }
  return recorded;
}

const usageRows = (eb: ExpressionBuilder<Database, 'key_usage'>, at: number) =>
  eb
    .selectFrom('api_keys')
    .select([
      'seq',
      sql<number>`cast(${at} as bigint)`.as('first_used_at'),
      sql<number>`cast(${at} as bigint)`.as('last_used_at'),
    ]);

const keyUsed = (tx: Tx) =>
  tx
    .insertInto('key_usage')
    .columns(['key_seq', 'first_used_at', 'last_used_at'])
    .expression((eb) => usageRows(eb, 0).where('seq', '=', 0))
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
