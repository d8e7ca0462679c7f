import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../../storage/index.ts';
import {
  type Asked,
  type Marks,
  type Members,
  plan,
  source,
  whileMarksStandStill,
} from './counts-reader.ts';
import type { Position } from './cursor.ts';
import { type Listed, type ListedRow, listPage, type Sort } from './listed.ts';

/**
 * `totals(grp, total)`: the sum of all outcomes by group, from the sums that are kept (months, and
 * days at their edges) and what has not been summed up yet. Everything is read once, in one
 * statement, since an order needs them all.
 */
async function totalsTable(
  db: Kysely<Database>,
  members: Members,
  asked: Asked,
  marks: Marks,
): Promise<RawBuilder<unknown>> {
  const counted = sql.join(
    members.subject.outcomes.map((outcome) => sql.ref(`u.${outcome}`)),
    sql` + `,
  );
  const select = sql`select ${members.group} as grp, ${counted} as counted`;
  const segments = await plan(db, members.subject, asked, marks);
  const parts = segments.map((segment) => source({ ...members, areFew: false }, segment, select));
  const nothing = sql`select ${members.group} as grp, 0 as counted from ${sql.table(members.subject.owner)} as m where 1 = 0`;
  return sql`(select grp, cast(sum(counted) as bigint) as total
    from (${sql.join([nothing, ...parts], sql` union all `)}) as counts group by grp) as totals`;
}

interface Order {
  readonly listed: Listed;
  readonly sort: Sort;
  readonly asked: Asked;
  members(): Members | Promise<Members>;
}

/** A page in the order asked for; only that of totals needs the counts. */
export async function orderedPage<R extends ListedRow>(
  db: Kysely<Database>,
  { listed, sort, asked, members }: Order,
  after: Position | null,
  inclusive: boolean,
  size: number,
): Promise<readonly R[]> {
  const place = { after, inclusive, size };
  if (sort !== 'total') return listPage<R>(db, listed, sort, null, place);
  const counted = await members();
  return whileMarksStandStill(db, counted.subject, async (marks) =>
    listPage<R>(db, listed, sort, await totalsTable(db, counted, asked, marks), place),
  );
}
