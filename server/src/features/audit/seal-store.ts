import type { Kysely } from 'kysely';
import type { Database, EngineName, Storage } from '../../storage/index.ts';
import { type AuditRow, type ChainAudit, NO_HASH, sealsAfter } from './chain.ts';

export interface Head {
  readonly position: number;
  readonly hash: string;
}

/**
 * How far below the highest sealed row an unsealed one may still turn up. SQLite has one writer:
 * rows become visible in the order of their numbers. On PostgreSQL a transaction that took its
 * number early may commit late.
 */
export const LATE_ROWS: Record<EngineName, number> = { sqlite: 0, postgres: 10_000 };

/** Where the chain ends, and the highest row in it. */
async function headOf(db: Kysely<Database>): Promise<Head & { highest: number }> {
  const last = await db
    .selectFrom('audit_seals')
    .select((eb) => [
      'position',
      'hash',
      eb
        .selectFrom('audit_seals as all')
        .select((inner) => inner.fn.max('all.audit_seq').as('seq'))
        .as('highest'),
    ])
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!last) return { position: 0, hash: NO_HASH, highest: 0 };
  return { ...last, highest: last.highest ?? 0 };
}

function unsealedRows(db: Kysely<Database>, after: number, size: number): Promise<AuditRow[]> {
  return db
    .selectFrom('audit_log')
    .selectAll()
    .where('seq', '>', after)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('audit_seals')
            .select('position')
            .whereRef('audit_seals.audit_seq', '=', 'audit_log.seq'),
        ),
      ),
    )
    .orderBy('seq')
    .limit(size)
    .execute();
}

/**
 * Seals at most `size` rows and answers how many. Rows are read and hashed before the transaction,
 * which only inserts. Should another node have sealed meanwhile, its positions are taken: the
 * insert fails as a whole and the next step goes on from the new head.
 */
export async function sealStep(
  storage: Storage,
  chain: ChainAudit,
  now: number,
  size: number,
): Promise<number> {
  const head = await headOf(storage.read);
  const rows = await unsealedRows(storage.read, head.highest - LATE_ROWS[storage.engine], size);
  if (rows.length === 0) return 0;
  const seals = sealsAfter(head, rows, now, chain);
  await storage.transaction((tx) =>
    storage.many(
      tx,
      tx.insertInto('audit_seals').values(seals[0]!).compile(),
      seals.map((seal) => [seal.position, seal.audit_seq, seal.hash, seal.sealed_at]),
    ),
  );
  return rows.length;
}
