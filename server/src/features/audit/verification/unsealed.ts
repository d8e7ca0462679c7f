import type { Kysely } from 'kysely';
import type { Database, EngineName } from '../../../storage/index.ts';

/** Rows that have no seal yet. */
export interface Unsealed {
  readonly count: number;
  /** The ids of a few, newest first. */
  readonly newest: readonly string[];
  /** One that the sealer would never come to: it was put in by hand. */
  readonly slippedIn: string | null;
}

export const NONE_UNSEALED: Unsealed = { count: 0, newest: [], slippedIn: null };

const SHOWN = 5;
const PAGE = 5_000;

interface Numbered {
  readonly seq: number;
  readonly id: string;
}

/**
 * Goes over the numbers of the log. `walkOn` takes in what was sealed meanwhile: on PostgreSQL a row
 * loses its note with its seal, and only one that has neither was put in by hand.
 */
export async function unsealedIn(
  db: Kysely<Database>,
  engine: EngineName,
  sealed: SealedRows,
  walkOn: () => Promise<void>,
): Promise<Unsealed> {
  let count = 0;
  let newest: Numbered[] = [];
  const suspects: Numbered[] = [];
  for await (const page of numbersIn(db)) {
    const unsealed = page.filter(({ seq }) => !sealed.has(seq));
    count += unsealed.length;
    newest = [...newest, ...unsealed].slice(-SHOWN);
    suspects.push(...(await notWaiting(db, engine, sealed, unsealed)));
  }
  if (suspects.length > 0) await walkOn();
  const slippedIn = suspects.find(({ seq }) => !sealed.has(seq));
  return {
    count,
    newest: newest.toReversed().map(({ id }) => id),
    slippedIn: slippedIn?.id ?? null,
  };
}

async function* numbersIn(db: Kysely<Database>): AsyncGenerator<Numbered[]> {
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

/** Those among the unsealed that no sealer is to come to. */
async function notWaiting(
  db: Kysely<Database>,
  engine: EngineName,
  sealed: SealedRows,
  unsealed: readonly Numbered[],
): Promise<Numbered[]> {
  // The one writer of SQLite makes rows visible in the order of their numbers, and so they are sealed.
  if (engine === 'sqlite') return unsealed.filter(({ seq }) => seq < sealed.highest);
  if (unsealed.length === 0) return [];
  const notes = await db
    .selectFrom('audit_unsealed')
    .select('seq')
    .where(
      'seq',
      'in',
      unsealed.map(({ seq }) => seq),
    )
    .execute();
  const noted = new Set(notes.map(({ seq }) => seq));
  return unsealed.filter(({ seq }) => !noted.has(seq));
}

const BITS_A_PAGE = 2 ** 16;

/** Which numbers of the log have a seal, a bit each: ten million rows take little over a megabyte. */
export class SealedRows {
  readonly #pages = new Map<number, Uint8Array>();
  #highest = 0;

  get highest(): number {
    return this.#highest;
  }

  add(seq: number): void {
    const page = Math.floor(seq / BITS_A_PAGE);
    const bit = seq - page * BITS_A_PAGE;
    let bits = this.#pages.get(page);
    if (bits === undefined) {
      bits = new Uint8Array(BITS_A_PAGE / 8);
      this.#pages.set(page, bits);
    }
    bits[bit >>> 3]! |= 1 << (bit & 7);
    this.#highest = Math.max(this.#highest, seq);
  }

  has(seq: number): boolean {
    const page = Math.floor(seq / BITS_A_PAGE);
    const bit = seq - page * BITS_A_PAGE;
    const bits = this.#pages.get(page);
    return bits !== undefined && (bits[bit >>> 3]! & (1 << (bit & 7))) !== 0;
  }
}
