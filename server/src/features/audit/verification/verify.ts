import type { Kysely } from 'kysely';
import type { Database, EngineName } from '../../../storage/index.ts';
import { type ChainAudit, hashOfLink, type Link, NO_HASH } from '../chain.ts';
import type { Head } from '../seal-store.ts';
import { type Place, placesAfter } from './sealed-rows-reader.ts';
import { unlistedIn } from './unlisted.ts';
import { NONE_UNSEALED, SealedRows, type Unsealed, unsealedIn } from './unsealed.ts';

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
  /** It is sealed, and lists do not show it: on SQLite they find rows by tables of their own. */
  | 'not listed'
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
  const walk = new Walk(chain, options.expectedHead);
  const walkOn = async () => {
    for (;;) {
      const places = await placesAfter(db, walk.head.position);
      if (!walk.over(places) && walk.broken?.fault === 'seal missing')
        walk.broken = { ...walk.broken, id: await rowWithoutSeal(db, walk, places) };
      options.onProgress?.(walk.head.position);
      if (walk.broken !== null || places.length === 0) return;
    }
  };
  await walkOn();
  if (walk.broken !== null) return walk.verdict(NONE_UNSEALED);
  if (options.expectedHead && !walk.hasMetHead) {
    walk.broken = headNotFound(options.expectedHead);
    return walk.verdict(NONE_UNSEALED);
  }
  const unsealed = await unsealedIn(db, options.engine, walk.sealed, walkOn);
  if (unsealed.slippedIn !== null) walk.broken ??= rowWithFault('slipped in', unsealed.slippedIn);
  if (walk.broken === null && options.engine === 'sqlite') {
    const unlisted = await unlistedIn(db, walk.sealed.highest);
    if (unlisted !== null) walk.broken = rowWithFault('not listed', unlisted);
  }
  return walk.verdict(unsealed);
}

/** Proves one place after the other; stands behind the last that held. */
class Walk {
  head: Head = { position: 0, hash: NO_HASH };
  broken: Broken | null = null;
  readonly sealed = new SealedRows();
  hasMetHead = false;
  lastSeq = 0;
  #lastId: string | null = null;
  readonly #chain: ChainAudit;
  readonly #expected: Head | undefined;

  constructor(chain: ChainAudit, expected: Head | undefined) {
    this.#chain = chain;
    this.#expected = expected;
  }

  /** Whether all of them hold. */
  over(places: readonly Place[]): boolean {
    for (const [index, place] of places.entries()) {
      const fault = this.#faultOf(place);
      if (fault !== null) {
        this.broken =
          fault === 'changed'
            ? this.#changedOrMoved(place, places.slice(index))
            : this.#at(fault, place.rowId);
        return false;
      }
      this.#stepOn(place);
    }
    return true;
  }

  verdict(unsealed: Unsealed): Verdict {
    return { proven: this.head.position, head: this.head, unsealed, broken: this.broken };
  }

  #stepOn({ position, hash, auditSeq, rowId }: Place): void {
    this.head = { position, hash };
    this.#lastId = rowId;
    this.lastSeq = auditSeq;
    this.sealed.add(auditSeq);
    if (position === this.#expected?.position) this.hasMetHead = hash === this.#expected.hash;
  }

  #faultOf(place: Place): Fault | null {
    if (place.position !== this.head.position + 1) return 'seal missing';
    if (place.rowId === null) return 'row missing';
    const { position, sealedAt, row } = place;
    return row !== null && this.#hash({ position, sealedAt, row }) === place.hash
      ? null
      : 'changed';
  }

  /** When a row or a seal near by does belong here, the order was changed and not the row. */
  #changedOrMoved(here: Place, following: readonly Place[]): Broken {
    const hashes = new Set(following.map(({ hash }) => hash));
    for (const { row, sealedAt } of following) {
      if (row === null) continue;
      const fits = [row, { ...row, seq: here.auditSeq }].some((candidate) =>
        [sealedAt, here.sealedAt].some((at) =>
          hashes.has(this.#hash({ position: here.position, sealedAt: at, row: candidate })),
        ),
      );
      if (fits && row.id !== here.rowId)
        return { ...this.#at('out of order', here.rowId), belongs: row.id };
    }
    return this.#at('changed', here.rowId);
  }

  #hash = (link: Link): string => hashOfLink(this.#chain, this.head.hash, link);

  #at(fault: Fault, id: string | null): Broken {
    return { fault, position: this.head.position + 1, id, after: this.#lastId, belongs: null };
  }
}

/** A missing seal names no row; the first after the last proven one that has none is it. */
async function rowWithoutSeal(
  db: Kysely<Database>,
  walk: Walk,
  places: readonly Place[],
): Promise<string | null> {
  const inPage = new Set(places.map(({ auditSeq }) => auditSeq));
  const rows = await db
    .selectFrom('audit_log')
    .select(['seq', 'id'])
    .where('seq', '>', walk.lastSeq)
    .where('seq', '<=', Math.max(...inPage))
    .orderBy('seq')
    .limit(inPage.size + 1)
    .execute();
  return rows.find(({ seq }) => !inPage.has(seq) && !walk.sealed.has(seq))?.id ?? null;
}

const headNotFound = ({ position }: Head): Broken => ({
  fault: 'head not found',
  position,
  id: null,
  after: null,
  belongs: null,
});

/** The chain itself holds. */
const rowWithFault = (fault: Fault, id: string): Broken => ({
  fault,
  position: null,
  id,
  after: null,
  belongs: null,
});
