import { type Kysely, sql } from 'kysely';
import type { Secrets } from '../../kernel/secrets/crypto.ts';
import type { Database, Storage } from '../../storage/index.ts';
import { AUDIT_COLUMNS, type AuditRow, type Links, linksAfter, NO_HASH, sealOf } from './chain.ts';
import { lookupInserts } from './lookup-tables.ts';

export interface Head {
  readonly position: number;
  readonly hash: string;
}

const NUMBERS: ReadonlySet<string> = new Set(['seq', 'created_at']);
const [INTEGER, TEXT] = [sql`integer`, sql`text`];

type LastSeal = Head & { readonly auditSeq: number };

/** The end of the chain. */
const lastSeal = (db: Kysely<Database>) =>
  db
    .selectFrom('audit_seals')
    .select(['position', 'hash', 'audit_seq as auditSeq'])
    .orderBy('position', 'desc')
    .limit(1);

const NO_SEAL: LastSeal = { position: 0, hash: NO_HASH, auditSeq: 0 };

/**
 * SQLite has one writer, so rows become visible, and are sealed, in the order of seq. They are hashed
 * on a reader thread: on the main thread, 250 rows blocked the event loop for 2 ms. This is
 * `linksAfter` in SQL; a test compares the two. (Beside `max`, SQLite takes the other columns from the
 * row with the maximum; null means no rows.)
 *
 * Columns are cast to their declared types. Without the cast, a blob that another program wrote would be
 * an error and stop the sealer. With it, the hash is wrong and verification reports the row.
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
 * On PostgreSQL a transaction may commit after others with a higher seq. A trigger lists every new row
 * in `audit_unsealed`, so none is missed.
 */
const listedRows = (db: Kysely<Database>, size: number): Promise<AuditRow[]> =>
  db
    .selectFrom('audit_unsealed')
    .innerJoin('audit_log', 'audit_log.seq', 'audit_unsealed.seq')
    .selectAll('audit_log')
    .orderBy('audit_unsealed.seq')
    .limit(size)
    .execute();

/** The keyed hash, and its key for hashing in SQL. */
type ChainSecrets = Pick<Secrets, 'hashAuditLink' | 'auditKey'>;

/** Seals at most `size` rows. Returns their number. */
export type SealStep = (now: number, size: number) => Promise<number>;

export const sealStepOf = (storage: Storage, secrets: ChainSecrets): SealStep =>
  storage.engine === 'sqlite' ? sealNext(storage, secrets) : sealListed(storage, secrets);

/**
 * Rows are read and hashed first, so that changes do not wait for this. Then the seal and the lookup entries
 * of its rows are sent to the writer as one script. The guard rejects the script if another process has
 * sealed the rows meanwhile.
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
        ...lookupInserts(point, last.auditSeq, links.seq),
        point.insertInto('audit_seals').values(sealOf(links, now)).compile(),
      ],
    });
    return isSealed ? links.position - last.position : 0;
  };
}

/** One node at a time seals; the others skip the step. */
const sealListed =
  (storage: Storage, { hashAuditLink }: ChainSecrets): SealStep =>
  (now, size) =>
    storage.transaction(async (tx) => {
      if (!(await storage.tryLock(tx, 'audit sealer'))) return 0;
      const rows = await listedRows(tx, size);
      if (rows.length === 0) return 0;
      const head = (await lastSeal(tx).executeTakeFirst()) ?? NO_SEAL;
      const links = linksAfter(head, rows, now, hashAuditLink);
      await tx.insertInto('audit_seals').values(sealOf(links, now)).execute();
      const sealed = rows.map(({ seq }) => seq);
      await tx.deleteFrom('audit_unsealed').where('seq', 'in', sealed).execute();
      return rows.length;
    });
