import { type Kysely, sql } from 'kysely';
import type { Database } from '../../../storage/index.ts';
import { ALL_LOOKUPS, matchesItsRow } from '../lookup-tables.ts';

const PAGE = 5_000;

/**
 * The first row up to `upTo` that is missing in a lookup table; null if there is none. Some list would
 * leave this row out. The chain does not show that, because it covers only the log itself. All rows up to
 * `upTo` are sealed, so they must have lookup entries.
 */
export async function findMissingLookup(
  db: Kysely<Database>,
  upTo: number,
): Promise<string | null> {
  let after: number | null = null;
  for (;;) {
    const end = await endOfPage(db, after, upTo);
    if (end === null) return null;
    const { rows } = await sql<{ id: string }>`
      select id from audit_log where seq <= ${end} and ${isAfter(after)} and not (${isInAllLookups})
      order by seq limit 1`.execute(db);
    if (rows[0]) return rows[0].id;
    after = end;
  }
}

const isAfter = (after: number | null) => (after === null ? sql`true` : sql`seq > ${after}`);

async function endOfPage(
  db: Kysely<Database>,
  after: number | null,
  upTo: number,
): Promise<number | null> {
  const { rows } = await sql<{ end: number | null }>`
    select max(seq) as "end" from (
      select seq from audit_log where seq <= ${upTo} and ${isAfter(after)}
      order by seq limit ${PAGE})`.execute(db);
  return rows[0]?.end ?? null;
}

const isInAllLookups = sql.join(
  (Object.keys(ALL_LOOKUPS) as (keyof typeof ALL_LOOKUPS)[]).map(
    (lookup) => sql`exists (select 1 from ${sql.table(lookup)} where ${matchesItsRow(lookup)})`,
  ),
  sql` and `,
);
