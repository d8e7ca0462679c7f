import type { Kysely, Selectable } from 'kysely';
import type { Database } from '../../../storage/index.ts';
import type { AuditSealsTable } from '../../../storage/schema/audit.ts';
import { AUDIT_COLUMNS, type AuditRow, parseLinks } from '../chain.ts';

/** One position of the chain: its hash, and the row that was sealed there. */
export interface SealedRow {
  readonly position: number;
  readonly auditSeq: number;
  readonly hash: string;
  readonly sealedAt: number;
  /** null: the row is missing. */
  readonly rowId: string | null;
  /** null: missing, or with values that cannot be read because Keyward did not write them. */
  readonly row: AuditRow | null;
}

type Sealed = Omit<SealedRow, 'rowId' | 'row'> & {
  /** The list of rows in the seal cannot be parsed. */
  readonly isUnreadable?: true;
};

/** Positions read at a time, but at least one whole seal. */
const PAGE = 1_000;

/** The next rows of the chain; empty at its end. */
export async function sealedRowsAfter(db: Kysely<Database>, after: number): Promise<SealedRow[]> {
  let position = after;
  const sealed = (await sealsAfter(db, after)).flatMap((seal) => {
    const expected = position + 1;
    position = seal.position;
    return rowsInSeal(seal, expected);
  });
  const rows = await rowsOf(
    db,
    sealed.map(({ auditSeq }) => auditSeq),
  );
  return sealed.map(({ isUnreadable, ...seal }) => {
    const found = rows.get(seal.auditSeq);
    return { ...seal, rowId: found?.id ?? null, row: (!isUnreadable && found?.row) || null };
  });
}

type Seal = Selectable<AuditSealsTable>;

async function sealsAfter(db: Kysely<Database>, after: number): Promise<Seal[]> {
  const seals = db
    .selectFrom('audit_seals')
    .selectAll()
    .where('position', '>', after)
    .orderBy('position');
  try {
    const page = await seals.where('position', '<=', after + PAGE).execute();
    return page.length > 0 ? page : await seals.limit(1).execute();
  } catch (cause) {
    // A seal has an unreadable value, such as a number that is too large. Find it by reading one at a time.
    return seals
      .limit(1)
      .execute()
      .catch(() => unreadableSeal(db, after, cause));
  }
}

async function unreadableSeal(
  db: Kysely<Database>,
  after: number,
  cause: unknown,
): Promise<Seal[]> {
  const seal = await db
    .selectFrom('audit_seals')
    .select(['position', 'audit_seq'])
    .where('position', '>', after)
    .orderBy('position')
    .limit(1)
    .executeTakeFirst();
  if (!seal) throw cause;
  return [{ ...seal, hash: '', sealed_at: 0, links: '' }];
}

function rowsInSeal(seal: Seal, expected: number): Sealed[] {
  const { position, audit_seq: auditSeq, hash, sealed_at: sealedAt } = seal;
  const links = parseLinks(seal.links);
  if (links === null) return [{ position: expected, auditSeq, hash, sealedAt, isUnreadable: true }];
  const first = position - links.length;
  return [
    ...links.map((link, n) => ({ ...link, position: first + n, sealedAt })),
    { position, auditSeq, hash, sealedAt },
  ];
}

interface Found {
  readonly id: string;
  readonly row: AuditRow | null;
}

async function rowsOf(
  db: Kysely<Database>,
  seqs: readonly number[],
): Promise<ReadonlyMap<number, Found>> {
  const found = new Map<number, Found>();
  for (let start = 0; start < seqs.length; start += PAGE) {
    const page = seqs.slice(start, start + PAGE);
    const rows = await readRows(db, page).catch(() => null);
    for (const row of rows ?? []) found.set(row.seq, { id: row.id, row });
    if (rows === null) for (const seq of page) await findSingle(db, seq, found);
  }
  return found;
}

const readRows = (db: Kysely<Database>, seqs: readonly number[]): Promise<AuditRow[]> =>
  db.selectFrom('audit_log').select(AUDIT_COLUMNS).where('seq', 'in', seqs).execute();

/** Reads a row alone, because a row of its page cannot be read. */
async function findSingle(
  db: Kysely<Database>,
  seq: number,
  found: Map<number, Found>,
): Promise<void> {
  const named = db.selectFrom('audit_log').select('id').where('seq', '=', seq);
  const { id } = (await named.executeTakeFirst()) ?? {};
  if (id === undefined) return;
  const [row] = await readRows(db, [seq]).catch(() => []);
  found.set(seq, { id, row: row ?? null });
}
