import type { Kysely, Selectable } from 'kysely';
import type { Database } from '../../../storage/index.ts';
import type { AuditSealsTable } from '../../../storage/schema.ts';
import { AUDIT_COLUMNS, type AuditRow, linksIn } from '../chain.ts';

/** One place of the chain as it is stored. */
export interface Place {
  readonly position: number;
  readonly auditSeq: number;
  readonly hash: string;
  readonly sealedAt: number;
  /** null: the row is gone. */
  readonly rowId: string | null;
  /** null: gone, or it holds what no row of ours ever held and cannot even be read. */
  readonly row: AuditRow | null;
}

type Sealed = Omit<Place, 'rowId' | 'row'> & {
  /** What it tells of its rows cannot be read. */
  readonly isIllegible?: true;
};

/** Places read at a time, but never less than a whole seal. */
const PAGE = 1_000;

/** The next places of the chain; none: it ends here. */
export async function placesAfter(db: Kysely<Database>, after: number): Promise<Place[]> {
  let position = after;
  const sealed = (await sealsAfter(db, after)).flatMap((seal) => {
    const expected = position + 1;
    position = seal.position;
    return placesOf(seal, expected);
  });
  const rows = await rowsOf(
    db,
    sealed.map(({ auditSeq }) => auditSeq),
  );
  return sealed.map(({ isIllegible, ...place }) => {
    const found = rows.get(place.auditSeq);
    return { ...place, rowId: found?.id ?? null, row: (!isIllegible && found?.row) || null };
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
    // A number too large for us, say. One at a time finds the place, if there is one.
    return seals
      .limit(1)
      .execute()
      .catch(() => illegibleSeal(db, after, cause));
  }
}

async function illegibleSeal(db: Kysely<Database>, after: number, cause: unknown): Promise<Seal[]> {
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

function placesOf(seal: Seal, expected: number): Sealed[] {
  const { position, audit_seq: auditSeq, hash, sealed_at: sealedAt } = seal;
  const links = linksIn(seal.links);
  if (links === null) return [{ position: expected, auditSeq, hash, sealedAt, isIllegible: true }];
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
    if (rows === null) for (const seq of page) await findAlone(db, seq, found);
  }
  return found;
}

const readRows = (db: Kysely<Database>, seqs: readonly number[]): Promise<AuditRow[]> =>
  db.selectFrom('audit_log').select(AUDIT_COLUMNS).where('seq', 'in', seqs).execute();

/** One of its neighbours cannot be read, or it cannot itself. */
async function findAlone(
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
