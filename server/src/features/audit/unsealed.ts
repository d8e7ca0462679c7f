import type { Kysely } from 'kysely';
import type { Database } from '../../storage/index.ts';

/** Rows that have no seal yet. */
export interface Unsealed {
  readonly count: number;
  /** The ids of a few, newest first. */
  readonly newest: readonly string[];
  /** One that lies among sealed rows, where the sealer leaves none. */
  readonly slippedIn: string | null;
}

const SHOWN = 5;

export async function unsealedIn(db: Kysely<Database>, lateRows: number): Promise<Unsealed> {
  const unsealed = db
    .selectFrom('audit_log')
    .leftJoin('audit_seals', 'audit_seals.audit_seq', 'audit_log.seq')
    .where('audit_seals.position', 'is', null);
  // The highest seal is asked for in the same statement as the row: a sealer may be at work.
  const among = await unsealed
    .select('audit_log.id')
    .where('audit_log.seq', '<', (eb) =>
      eb
        .selectFrom('audit_seals as sealed')
        .select((inner) => inner(inner.fn.max('sealed.audit_seq'), '-', lateRows).as('seq')),
    )
    .orderBy('audit_log.seq')
    .limit(1)
    .executeTakeFirst();
  const { count } = await unsealed
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  const newest = await unsealed
    .select('audit_log.id')
    .orderBy('audit_log.seq', 'desc')
    .limit(SHOWN)
    .execute();
  return { count, newest: newest.map(({ id }) => id), slippedIn: among?.id ?? null };
}
