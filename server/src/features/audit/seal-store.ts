import { type Kysely, sql } from 'kysely';
import type { Secrets } from '../../kernel/crypto.ts';
import type { Database, Storage } from '../../storage/index.ts';
import { AUDIT_COLUMNS, type AuditRow, type Links, linksAfter, NO_HASH, sealOf } from './chain.ts';
import { entering } from './lookup-tables.ts';

export interface Head {
  readonly position: number;
  readonly hash: string;
}

const NUMBERS: ReadonlySet<string> = new Set(['seq', 'created_at']);
const [INTEGER, TEXT] = [sql`integer`, sql`text`];

type LastSeal = Head & { readonly auditSeq: number };

/** Where the chain ends. */
const lastSeal = (db: Kysely<Database>) =>
  db
    .selectFrom('audit_seals')
    .select(['position', 'hash', 'audit_seq as auditSeq'])
    .orderBy('position', 'desc')
    .limit(1);

const NO_SEAL: LastSeal = { position: 0, hash: NO_HASH, auditSeq: 0 };

/**
 * SQLite has one writer: rows become visible in the order of their numbers, and are sealed so. They
 * are hashed on the reader thread that reads them: on the one that answers requests, 250 rows held
 * everybody for two milliseconds. It is `linksAfter` told in SQL; the tests hold both against each
 * other. (Beside `max`, SQLite takes the other columns from the row that has it; null: no row.)
 *
 * Columns are cast to what they are declared as: a blob that somebody put in by hand would else be an
 * error, and end all sealing. So it is hashed as what it is not, and verification names its row.
 */
async function linksOnReader(
  db: Kysely<Database>,
  { position, auditSeq, hash }: LastSeal,
  auditKey: string,
  now: number,
  size: number,
): Promise<Links | { position: null } | undefined> {
  const columns = AUDIT_COLUMNS.map(
    (column) =>
      sql`cast(${sql.ref(`audit_log.${column}`)} as ${NUMBERS.has(column) ? INTEGER : TEXT})`,
  );
  const { rows } = await sql<Links | { position: null }>`
    with recursive link (position, seq, hash) as (
      select cast(${position} as integer), cast(${auditSeq} as integer), ${hash}
      union all
      select link.position + 1, audit_log.seq, keyed_hash(${auditKey}, json_array(
        link.hash, link.position + 1, cast(${now} as integer), ${sql.join(columns)}))
      from link
      join audit_log on audit_log.seq = (select min(seq) from audit_log where seq > link.seq)
      limit ${1 + size}
    )
    select max(position) as position, seq, hash, group_concat(seq || ' ' || hash, char(10)) as lines
    from (select * from link limit -1 offset 1)`.execute(db);
  return rows[0];
}

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

/** What chains: the keyed hash of the installation, and its key for those who hash elsewhere. */
type ChainSecrets = Pick<Secrets, 'chainAudit' | 'auditKey'>;

/** Seals at most `size` rows and answers how many. */
export type SealStep = (now: number, size: number) => Promise<number>;

export const sealStepOf = (storage: Storage, secrets: ChainSecrets): SealStep =>
  storage.engine === 'sqlite' ? sealNext(storage, secrets) : sealNoted(storage, secrets);

/**
 * Rows are read and hashed before, and the seal goes to the writer in one message between those of
 * changes, with the entries of its rows: none of them waits until it was asked and has answered. It is
 * left out when the chain has gone on meanwhile: its rows were sealed by another.
 */
function sealNext(storage: Storage, { auditKey }: ChainSecrets): SealStep {
  const { point, read, script } = storage;
  return async (now, size) => {
    const last = (await lastSeal(point).executeTakeFirst()) ?? NO_SEAL;
    const links = await linksOnReader(read, last, auditKey, now, size);
    if (links?.position == null) return 0;
    const isSealed = await script!({
      guards: [
        point
          .selectFrom('audit_seals')
          .select('position')
          .where('position', '>', last.position)
          .limit(1)
          .compile(),
      ],
      steps: [
        ...entering(point, last.auditSeq, links.seq),
        point.insertInto('audit_seals').values(sealOf(links, now)).compile(),
      ],
    });
    return isSealed ? links.position - last.position : 0;
  };
}

/** By one node at a time; what another one is sealing is none of ours. */
const sealNoted =
  (storage: Storage, { chainAudit }: ChainSecrets): SealStep =>
  (now, size) =>
    storage.transaction(async (tx) => {
      if (!(await storage.tryLock(tx, 'audit sealer'))) return 0;
      const rows = await notedRows(tx, size);
      if (rows.length === 0) return 0;
      const head = (await lastSeal(tx).executeTakeFirst()) ?? NO_SEAL;
      const links = linksAfter(head, rows, now, chainAudit);
      await tx.insertInto('audit_seals').values(sealOf(links, now)).execute();
      const sealed = rows.map(({ seq }) => seq);
      await tx.deleteFrom('audit_unsealed').where('seq', 'in', sealed).execute();
      return rows.length;
    });
