import type { Kysely } from 'kysely';
import type { Database, Storage } from '../../storage/index.ts';
import { type HashLink, NO_HASH, sealAfter } from './chain.ts';

export interface Head {
  readonly position: number;
  readonly hash: string;
}

const NO_SEAL: Head = { position: 0, hash: NO_HASH };

/** The end of the chain. */
async function lastSeal(db: Kysely<Database>): Promise<Head> {
  const seal = await db
    .selectFrom('audit_seals')
    .select(['position', 'hash'])
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst();
  return seal ?? NO_SEAL;
}

/**
 * On PostgreSQL a transaction may commit after others with a higher seq. A trigger lists every new row
 * in `audit_unsealed`, so none is missed.
 */
export const unsealedRows = (db: Kysely<Database>, size: number) =>
  db
    .selectFrom('audit_unsealed')
    .innerJoin('audit_log', 'audit_log.seq', 'audit_unsealed.seq')
    .selectAll('audit_log')
    .orderBy('audit_unsealed.seq')
    .limit(size);

/** Seals at most `size` rows and returns their number. One node at a time seals; the others skip the step. */
export const sealSome = (
  storage: Storage,
  hashLink: HashLink,
  now: number,
  size: number,
): Promise<number> =>
  storage.transaction(async (tx) => {
    if (!(await storage.tryLock(tx, 'audit sealer'))) return 0;
    const rows = await unsealedRows(tx, size).execute();
    if (rows.length === 0) return 0;
    const seal = sealAfter(await lastSeal(tx), rows, now, hashLink);
    await tx.insertInto('audit_seals').values(seal).execute();
    const sealed = rows.map(({ seq }) => seq);
    await tx.deleteFrom('audit_unsealed').where('seq', 'in', sealed).execute();
    return rows.length;
  });
