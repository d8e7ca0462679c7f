import type { Kysely } from 'kysely';
import type { Database } from '../../../storage/index.ts';

/** Rows without a seal. */
export interface Unsealed {
  readonly count: number;
  /** Ids of the newest few, newest first. */
  readonly newest: readonly string[];
  /**
   * Id of a row that the sealer will never seal, because another program inserted it or removed its seal;
   * null: none found.
   */
  readonly inserted: string | null;
}

export const NONE_UNSEALED: Unsealed = { count: 0, newest: [], inserted: null };

const SHOWN = 5;
const PAGE = 5_000;

interface Numbered {
  readonly seq: number;
  readonly id: string;
}

/**
 * Looks for unsealed rows in the whole log. A row without an entry in `audit_unsealed` has either been
 * sealed meanwhile, or will never be sealed. `verifyNewSeals` adds the rows that were sealed
 * meanwhile to `sealed`.
 */
export async function findUnsealed(
  db: Kysely<Database>,
  sealed: SeqSet,
  verifyNewSeals: () => Promise<void>,
): Promise<Unsealed> {
  let count = 0;
  let newest: Numbered[] = [];
  const suspects: Numbered[] = [];
  for await (const page of seqPages(db)) {
    const unsealed = page.filter(({ seq }) => !sealed.has(seq));
    count += unsealed.length;
    newest = [...newest, ...unsealed].slice(-SHOWN);
    suspects.push(...(await neverSealed(db, unsealed)));
  }
  if (suspects.length > 0) await verifyNewSeals();
  const inserted = suspects.find(({ seq }) => !sealed.has(seq));
  return {
    count,
    newest: newest.toReversed().map(({ id }) => id),
    inserted: inserted?.id ?? null,
  };
}

async function* seqPages(db: Kysely<Database>): AsyncGenerator<Numbered[]> {
  let after: number | null = null;
  for (;;) {
    let query = db.selectFrom('audit_log').select(['seq', 'id']).orderBy('seq').limit(PAGE);
    if (after !== null) query = query.where('seq', '>', after);
    const page: Numbered[] = await query.execute();
    if (page.length === 0) return;
    yield page;
    after = page.at(-1)!.seq;
  }
}

/** Unsealed rows that the sealer would never seal. */
async function neverSealed(
  db: Kysely<Database>,
  unsealed: readonly Numbered[],
): Promise<Numbered[]> {
  if (unsealed.length === 0) return [];
  const entries = await db
    .selectFrom('audit_unsealed')
    .select('seq')
    .where(
      'seq',
      'in',
      unsealed.map(({ seq }) => seq),
    )
    .execute();
  const listed = new Set(entries.map(({ seq }) => seq));
  return unsealed.filter(({ seq }) => !listed.has(seq));
}

const BITS_A_PAGE = 2 ** 16;

/** A set of seqs, one bit each: ten million take little over a megabyte. */
export class SeqSet {
  readonly #pages = new Map<number, Uint8Array>();

  add(seq: number): void {
    const page = Math.floor(seq / BITS_A_PAGE);
    const bit = seq - page * BITS_A_PAGE;
    let bits = this.#pages.get(page);
    if (bits === undefined) {
      bits = new Uint8Array(BITS_A_PAGE / 8);
      this.#pages.set(page, bits);
    }
    bits[bit >>> 3]! |= 1 << (bit & 7);
  }

  has(seq: number): boolean {
    const page = Math.floor(seq / BITS_A_PAGE);
    const bit = seq - page * BITS_A_PAGE;
    const bits = this.#pages.get(page);
    return bits !== undefined && (bits[bit >>> 3]! & (1 << (bit & 7))) !== 0;
  }
}
