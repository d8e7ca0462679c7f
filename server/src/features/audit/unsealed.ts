import type { Kysely } from 'kysely';
import type { Database, EngineName } from '../../storage/index.ts';

/** Rows that have no seal yet. */
export interface Unsealed {
  readonly count: number;
  /** The ids of a few, newest first. */
  readonly newest: readonly string[];
  /** One that the sealer would never come to: it was put in by hand. */
  readonly slippedIn: string | null;
}

const SHOWN = 5;

export async function unsealedIn(db: Kysely<Database>, engine: EngineName): Promise<Unsealed> {
  const unsealed = db
    .selectFrom('audit_log')
    .leftJoin('audit_seals', 'audit_seals.audit_seq', 'audit_log.seq')
    .where('audit_seals.position', 'is', null);
  // What shows it is asked for in the same statement as the row: a sealer may be at work.
  const left =
    engine === 'sqlite'
      ? unsealed.where('audit_log.seq', '<', (eb) =>
          eb
            .selectFrom('audit_seals as sealed')
            .select((inner) => inner.fn.max('sealed.audit_seq').as('seq')),
        )
      : unsealed.where('audit_log.seq', 'not in', (eb) =>
          eb.selectFrom('audit_unsealed').select('audit_unsealed.seq'),
        );
  const among = await left
    .select('audit_log.id')
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
