import type { Insertable, Kysely } from 'kysely';
import { type Database, pointQuery, type Storage, type Tx } from '../../storage/index.ts';
import type { AuditSealsTable } from '../../storage/schema.ts';
import { AUDIT_COLUMNS, type AuditRow, type ChainAudit, NO_HASH, sealAfter } from './chain.ts';

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

/**
 * SQLite has one writer: rows become visible in the order of their numbers, and are sealed so. Read
 * where they are hashed: to send a row from a reader thread and take it in costs more than to read it.
 */
const rowsAfter = pointQuery((db) =>
  db
    .selectFrom('audit_log')
    .select(AUDIT_COLUMNS)
    .where('seq', '>', 0)
    .orderBy('seq')
    .limit(0)
    .compile(),
);

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

/**
 * Rows are read and hashed before the transaction, which only inserts: it holds every writer. The
 * seal is left out when the chain has gone on meanwhile: its rows were sealed by another.
 */
async function sealNext(
  storage: Storage,
  chain: ChainAudit,
  now: number,
  size: number,
): Promise<number> {
  const head = await headOf(storage.point);
  const rows = await rowsAfter(storage, head.auditSeq, size);
  if (rows.length === 0) return 0;
  const seal = sealAfter(head, rows, now, chain);
  const { numInsertedOrUpdatedRows } = await storage.transaction((tx) =>
    insertedIfLast(tx, seal, head.position).executeTakeFirstOrThrow(),
  );
  return numInsertedOrUpdatedRows === 1n ? rows.length : 0;
}

const insertedIfLast = (tx: Tx, seal: Insertable<AuditSealsTable>, after: number) =>
  tx
    .insertInto('audit_seals')
    .columns(['position', 'audit_seq', 'hash', 'sealed_at', 'links'])
    .expression(
      tx
        .selectNoFrom((eb) => [
          eb.val(seal.position).as('position'),
          eb.val(seal.audit_seq).as('audit_seq'),
          eb.val(seal.hash).as('hash'),
          eb.val(seal.sealed_at).as('sealed_at'),
          eb.val(seal.links).as('links'),
        ])
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('audit_seals').select('position').where('position', '>', after))),
        ),
    );

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
    const seal = sealAfter(await headOf(tx), rows, now, chain);
    await tx.insertInto('audit_seals').values(seal).execute();
    const sealed = rows.map(({ seq }) => seq);
    await tx.deleteFrom('audit_unsealed').where('seq', 'in', sealed).execute();
    return rows.length;
  });
}
