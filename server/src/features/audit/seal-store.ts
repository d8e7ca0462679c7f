import type { Kysely } from 'kysely';
import type { Database, Storage } from '../../storage/index.ts';
import { type AuditRow, type ChainAudit, NO_HASH, sealsAfter } from './chain.ts';

export interface Head {
  readonly position: number;
  readonly hash: string;
}

/** Where the chain ends. */
async function headOf(db: Kysely<Database>): Promise<Head & { auditSeq: number }> {
  const last = await db
    .selectFrom('audit_seals')
    .select(['position', 'hash', 'audit_seq as auditSeq'])
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last ?? { position: 0, hash: NO_HASH, auditSeq: 0 };
}

/** SQLite has one writer: rows become visible in the order of their numbers, and are sealed so. */
const rowsAfter = (db: Kysely<Database>, seq: number, size: number): Promise<AuditRow[]> =>
  db
    .selectFrom('audit_log')
    .selectAll()
    .where('seq', '>', seq)
    .orderBy('seq')
    .limit(size)
    .execute();

/**
 * On PostgreSQL a transaction that took its number early may commit late, after any number of
 * others; what is noted as unsealed is what there is to seal, however late it came.
 */
const notedRows = (db: Kysely<Database>, size: number): Promise<AuditRow[]> =>
  db
    .selectFrom('audit_unsealed')
    .innerJoin('audit_log', 'audit_log.seq', 'audit_unsealed.seq')
    .selectAll('audit_log')
    .orderBy('audit_unsealed.seq')
    .limit(size)
    .execute();

/** Seals at most `size` rows and answers how many. */
export const sealStep = (
  storage: Storage,
  chain: ChainAudit,
  now: number,
  size: number,
): Promise<number> =>
  storage.engine === 'sqlite'
    ? sealNext(storage, chain, now, size)
    : sealNoted(storage, chain, now, size);

/** Rows are read and hashed before the transaction, which only inserts: it holds every writer. */
async function sealNext(
  storage: Storage,
  chain: ChainAudit,
  now: number,
  size: number,
): Promise<number> {
  const head = await headOf(storage.read);
  const rows = await rowsAfter(storage.read, head.auditSeq, size);
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

/** By one node at a time; what another one is sealing is none of ours. */
function sealNoted(
  storage: Storage,
  chain: ChainAudit,
  now: number,
  size: number,
): Promise<number> {
  return storage.transaction(async (tx) => {
    if (!(await storage.tryLock(tx, 'audit sealer'))) return 0;
    const rows = await notedRows(tx, size);
    if (rows.length === 0) return 0;
    const seals = sealsAfter(await headOf(tx), rows, now, chain);
    await tx.insertInto('audit_seals').values(seals).execute();
    const sealed = rows.map(({ seq }) => seq);
    await tx.deleteFrom('audit_unsealed').where('seq', 'in', sealed).execute();
    return rows.length;
  });
}
