import type { Kysely } from 'kysely';
import type { Database } from '../../../storage/index.ts';
import { type HashLink, hashOfLink, type Link, NO_HASH } from '../chain.ts';
import type { Head } from '../seal-store.ts';
import { type SealedRow, sealedRowsAfter } from './sealed-rows-reader.ts';
import { findUnsealed, NONE_UNSEALED, SeqSet, type Unsealed } from './unsealed.ts';

export type Fault =
  /** The row or its seal was modified after sealing, or the seal was forged. */
  | 'changed'
  /** There is a seal, but no row. */
  | 'row missing'
  /** There is no seal at this position, but there are later ones. */
  | 'seal missing'
  /** Another row belongs here. */
  | 'out of order'
  /** The row is not sealed and never will be: another program inserted it, or removed its seal. */
  | 'inserted'
  /** The expected head is not in the chain: the end was cut off, or the chain was rebuilt. */
  | 'head not found';

export interface Broken {
  readonly fault: Fault;
  /** null for a row without a seal. */
  readonly position: number | null;
  /** null if the row is missing. */
  readonly id: string | null;
  /** The last verified row before it. */
  readonly after: string | null;
  /** For `out of order`: which row belongs here. */
  readonly belongs: string | null;
}

export interface ChainReport {
  readonly proven: number;
  readonly head: Head;
  readonly unsealed: Unsealed;
  readonly broken: Broken | null;
}

/**
 * Verifies the chain from its start and stops at the first fault. Reads page by page instead of in one
 * long transaction, which would let the WAL of a busy database grow. Sealed rows never change, and rows
 * that are sealed meanwhile are verified too.
 */
export async function verifyChain(
  db: Kysely<Database>,
  hashLink: HashLink,
  options: { readonly expectedHead?: Head; onProgress?(proven: number): void } = {},
): Promise<ChainReport> {
  const walk = new Walk(hashLink, options.expectedHead);
  const verifyNewSeals = async () => {
    for (;;) {
      const rows = await sealedRowsAfter(db, walk.head.position);
      if (!walk.verify(rows) && walk.broken?.fault === 'seal missing')
        walk.broken = { ...walk.broken, id: await rowWithoutSeal(db, walk, rows) };
      options.onProgress?.(walk.head.position);
      if (walk.broken !== null || rows.length === 0) return;
    }
  };
  await verifyNewSeals();
  if (walk.broken !== null) return walk.report(NONE_UNSEALED);
  if (options.expectedHead && !walk.hasFoundHead) {
    walk.broken = headNotFound(options.expectedHead);
    return walk.report(NONE_UNSEALED);
  }
  const unsealed = await findUnsealed(db, walk.sealed, verifyNewSeals);
  if (unsealed.inserted !== null) walk.broken ??= inserted(unsealed.inserted);
  return walk.report(unsealed);
}

/** Verifies sealed rows in order. `head` is the last one that was verified. */
class Walk {
  head: Head = { position: 0, hash: NO_HASH };
  broken: Broken | null = null;
  readonly sealed = new SeqSet();
  hasFoundHead = false;
  lastSeq = 0;
  #lastId: string | null = null;
  readonly #hashLink: HashLink;
  readonly #expected: Head | undefined;

  constructor(hashLink: HashLink, expected: Head | undefined) {
    this.#hashLink = hashLink;
    this.#expected = expected;
  }

  /** Verifies the next rows. False at the first fault. */
  verify(rows: readonly SealedRow[]): boolean {
    for (const [index, sealed] of rows.entries()) {
      const fault = this.#faultOf(sealed);
      if (fault !== null) {
        this.broken =
          fault === 'changed'
            ? this.#changedOrMoved(sealed, rows.slice(index))
            : this.#at(fault, sealed.rowId);
        return false;
      }
      this.#accept(sealed);
    }
    return true;
  }

  report(unsealed: Unsealed): ChainReport {
    return { proven: this.head.position, head: this.head, unsealed, broken: this.broken };
  }

  #accept({ position, hash, auditSeq, rowId }: SealedRow): void {
    this.head = { position, hash };
    this.#lastId = rowId;
    this.lastSeq = auditSeq;
    this.sealed.add(auditSeq);
    if (position === this.#expected?.position) this.hasFoundHead = hash === this.#expected.hash;
  }

  #faultOf(sealed: SealedRow): Fault | null {
    if (sealed.position !== this.head.position + 1) return 'seal missing';
    if (sealed.rowId === null) return 'row missing';
    const { position, sealedAt, row } = sealed;
    return row !== null && this.#hash({ position, sealedAt, row }) === sealed.hash
      ? null
      : 'changed';
  }

  /** If one of the following rows fits here, rows were reordered and not modified. */
  #changedOrMoved(here: SealedRow, following: readonly SealedRow[]): Broken {
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

  #hash = (link: Link): string => hashOfLink(this.#hashLink, this.head.hash, link);

  #at(fault: Fault, id: string | null): Broken {
    return { fault, position: this.head.position + 1, id, after: this.#lastId, belongs: null };
  }
}

/** The row whose seal is missing: the first unsealed row after the last verified one. */
async function rowWithoutSeal(
  db: Kysely<Database>,
  walk: Walk,
  sealed: readonly SealedRow[],
): Promise<string | null> {
  const inPage = new Set(sealed.map(({ auditSeq }) => auditSeq));
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

const inserted = (id: string): Broken => ({
  fault: 'inserted',
  position: null,
  id,
  after: null,
  belongs: null,
});
