import type { Kysely } from 'kysely';
import type { Database, EngineName } from '../../storage/index.ts';
import {
  AUDIT_COLUMNS,
  type AuditRow,
  type ChainAudit,
  hashOfLink,
  type Link,
  NO_HASH,
} from './chain.ts';
import type { Head } from './seal-store.ts';
import { type Unsealed, unsealedIn } from './unsealed.ts';

export type Fault =
  /** The row, or its seal, is not what it was when it was sealed; or the seal was made up. */
  | 'changed'
  /** There is a seal, and no row. */
  | 'row missing'
  /** There is no seal at this position, but later ones. */
  | 'seal missing'
  /** Another row belongs here. */
  | 'out of order'
  /** Rows around it are sealed, and it is not: it was put in later. */
  | 'slipped in'
  /** The head that was kept elsewhere is not in the chain: its end was cut off, or all made anew. */
  | 'head not found';

export interface Broken {
  readonly fault: Fault;
  /** null for a row without a seal. */
  readonly position: number | null;
  /** null when the row is gone. */
  readonly id: string | null;
  /** The last row before it that is proven. */
  readonly after: string | null;
  /** For `out of order`: which row belongs here. */
  readonly belongs: string | null;
}

export interface Verdict {
  readonly proven: number;
  readonly head: Head;
  readonly unsealed: Unsealed;
  readonly broken: Broken | null;
}

interface Seal {
  readonly position: number;
  readonly auditSeq: number;
  readonly hash: string;
  readonly sealedAt: number;
  /** null: the row is gone. */
  readonly rowId: string | null;
  /** null: gone, or it holds what no row of ours ever held and cannot even be read. */
  readonly row: AuditRow | null;
}

/** Seals read at a time; also how far ahead a row that belongs elsewhere is looked for. */
const PAGE = 1_000;

/**
 * Goes over the whole chain in order and stops at the first place that does not hold. Reads page
 * by page without one long transaction, which would let the log of a busy database grow: what is
 * sealed never changes, and what is sealed meanwhile is verified as well.
 */
export async function verifyChain(
  db: Kysely<Database>,
  chain: ChainAudit,
  options: {
    readonly engine: EngineName;
    readonly expectedHead?: Head;
    onProgress?(proven: number): void;
  },
): Promise<Verdict> {
  const walk = new Walk(chain);
  for (;;) {
    const seals = await sealsFrom(db, walk.head.position);
    const broken = walk.over(seals);
    if (broken !== null) return walk.verdict(await named(db, walk, broken), NONE_UNSEALED);
    options.onProgress?.(walk.head.position);
    if (seals.length === 0) break;
  }
  if (options.expectedHead && !(await holds(db, options.expectedHead)))
    return walk.verdict(headNotFound(options.expectedHead), NONE_UNSEALED);
  const unsealed = await unsealedIn(db, options.engine);
  const { slippedIn } = unsealed;
  return walk.verdict(slippedIn === null ? null : slippedInRow(slippedIn), unsealed);
}

const NONE_UNSEALED: Unsealed = { count: 0, newest: [], slippedIn: null };

/** Proves one seal after the other; stands behind the last that held. */
class Walk {
  head: Head = { position: 0, hash: NO_HASH };
  lastId: string | null = null;
  lastSeq = 0;
  readonly #chain: ChainAudit;

  constructor(chain: ChainAudit) {
    this.#chain = chain;
  }

  over(seals: readonly Seal[]): Broken | null {
    for (const [index, seal] of seals.entries()) {
      const fault = this.#faultOf(seal);
      if (fault === 'changed') return this.#changedOrMoved(seal, seals.slice(index));
      if (fault !== null) return this.#broken(fault, seal.rowId);
      this.head = { position: seal.position, hash: seal.hash };
      this.lastId = seal.rowId;
      this.lastSeq = seal.auditSeq;
    }
    return null;
  }

  verdict(broken: Broken | null, unsealed: Unsealed): Verdict {
    return { proven: this.head.position, head: this.head, unsealed, broken };
  }

  #faultOf(seal: Seal): Fault | null {
    if (seal.position !== this.head.position + 1) return 'seal missing';
    if (seal.rowId === null) return 'row missing';
    const { position, sealedAt, row } = seal;
    return row !== null && this.#hash({ position, sealedAt, row }) === seal.hash ? null : 'changed';
  }

  /** When a row or a seal near by does belong here, the order was changed and not the row. */
  #changedOrMoved(here: Seal, following: readonly Seal[]): Broken {
    const hashes = new Set(following.map(({ hash }) => hash));
    for (const { row, sealedAt } of following) {
      if (row === null) continue;
      const fits = [row, { ...row, seq: here.auditSeq }].some((candidate) =>
        [sealedAt, here.sealedAt].some((at) =>
          hashes.has(this.#hash({ position: here.position, sealedAt: at, row: candidate })),
        ),
      );
      if (fits && row.id !== here.rowId)
        return { ...this.#broken('out of order', here.rowId), belongs: row.id };
    }
    return this.#broken('changed', here.rowId);
  }

  #hash = (link: Link): string => hashOfLink(this.#chain, this.head.hash, link);

  #broken(fault: Fault, id: string | null): Broken {
    return { fault, position: this.head.position + 1, id, after: this.lastId, belongs: null };
  }
}

async function sealsFrom(db: Kysely<Database>, after: number): Promise<Seal[]> {
  try {
    return await readSeals(db, after, PAGE);
  } catch (cause) {
    // A number too large for us, say. One at a time finds the place, if there is one.
    return readSeals(db, after, 1).catch(() => unreadable(db, after, cause));
  }
}

async function readSeals(db: Kysely<Database>, after: number, size: number): Promise<Seal[]> {
  const rows = await db
    .selectFrom('audit_seals')
    .leftJoin('audit_log', 'audit_log.seq', 'audit_seals.audit_seq')
    .select(['position', 'audit_seq', 'hash', 'sealed_at'])
    .select(AUDIT_COLUMNS.map((column) => `audit_log.${column}` as const))
    .where('position', '>', after)
    .orderBy('position')
    .limit(size)
    .execute();
  return rows.map(({ position, audit_seq, hash, sealed_at, ...row }) => ({
    position,
    auditSeq: audit_seq,
    hash,
    sealedAt: sealed_at,
    rowId: row.id,
    row: row.id === null ? null : (row as AuditRow),
  }));
}

async function unreadable(db: Kysely<Database>, after: number, cause: unknown): Promise<Seal[]> {
  const row = await db
    .selectFrom('audit_seals')
    .innerJoin('audit_log', 'audit_log.seq', 'audit_seals.audit_seq')
    .select(['position', 'id'])
    .where('position', '>', after)
    .orderBy('position')
    .limit(1)
    .executeTakeFirst();
  if (!row) throw cause;
  const { position, id } = row;
  return [{ position, auditSeq: 0, hash: '', sealedAt: 0, rowId: id, row: null }];
}

/** A missing seal names no row; the first row after the last proven one that has none is it. */
async function named(db: Kysely<Database>, walk: Walk, broken: Broken): Promise<Broken> {
  if (broken.fault !== 'seal missing') return broken;
  const row = await db
    .selectFrom('audit_log')
    .leftJoin('audit_seals', 'audit_seals.audit_seq', 'audit_log.seq')
    .select('audit_log.id')
    .where('audit_log.seq', '>', walk.lastSeq)
    .where('position', 'is', null)
    .orderBy('audit_log.seq')
    .limit(1)
    .executeTakeFirst();
  return { ...broken, id: row?.id ?? null };
}

/** Asked of the table: all that is in it has just been proven. */
async function holds(db: Kysely<Database>, { position, hash }: Head): Promise<boolean> {
  const seal = await db
    .selectFrom('audit_seals')
    .select('hash')
    .where('position', '=', position)
    .executeTakeFirst();
  return seal?.hash === hash;
}

const headNotFound = ({ position }: Head): Broken => ({
  fault: 'head not found',
  position,
  id: null,
  after: null,
  belongs: null,
});

const slippedInRow = (id: string): Broken => ({
  fault: 'slipped in',
  position: null,
  id,
  after: null,
  belongs: null,
});
