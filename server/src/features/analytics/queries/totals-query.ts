import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '../../../storage/index.ts';
import {
  type Asked,
  type Marks,
  type Members,
  plan,
  source,
  whileMarksStandStill,
} from './counts-reader.ts';
import type { Position } from './cursor.ts';
import { all } from './scope.ts';

export const SORTS = ['total', 'name', 'lastUsedAt'] as const;
export type Sort = (typeof SORTS)[number] | 'newest';

/** What totals are listed by: keys or projects, with the same columns under the same names. */
export interface Listed {
  readonly from: RawBuilder<unknown>;
  readonly where: readonly RawBuilder<SqlBool>[];
  readonly columns: RawBuilder<unknown>;
  readonly id: RawBuilder<unknown>;
  readonly name: RawBuilder<unknown>;
  readonly lastUsedAt: RawBuilder<unknown>;
  /** What the counts of one are told apart by. */
  readonly group: RawBuilder<unknown>;
}

export interface ListedRow {
  readonly id: string;
  readonly name: string;
  readonly grp: string | number;
  readonly sort_value: string | number | null;
  readonly first_used_at: number | null;
  readonly last_used_at: number | null;
  readonly created_at: number;
}

interface PagePlace {
  readonly after: Position | null;
  /** From the place itself, else from what follows it. */
  readonly inclusive: boolean;
  readonly size: number;
}

/** The least of all values: those never used come last. */
const NEVER = -1;

/** One page of a list in one of its orders; within equal values, newest first. */
export async function listPage<R extends ListedRow>(
  db: Kysely<Database>,
  listed: Listed,
  sort: Sort,
  /** Joined in when it is what the list is sorted by. */
  totals: RawBuilder<unknown> | null,
  { after, inclusive, size }: PagePlace,
): Promise<readonly R[]> {
  const value = sortValue(listed, sort);
  const ascending = sort === 'name';
  const conditions = [...listed.where];
  if (after !== null) {
    const idAfter = inclusive ? sql`${listed.id} <= ${after.id}` : sql`${listed.id} < ${after.id}`;
    const beyond = ascending ? sql`${value} > ${after.value}` : sql`${value} < ${after.value}`;
    conditions.push(
      sort === 'newest'
        ? sql<SqlBool>`${idAfter}`
        : sql<SqlBool>`(${beyond} or (${value} = ${after.value} and ${idAfter}))`,
    );
  }
  const join = totals === null ? sql`` : sql`left join ${totals} on totals.grp = ${listed.group}`;
  const direction = ascending ? sql`asc` : sql`desc`;
  const order = sort === 'newest' ? sql`` : sql`${value} ${direction},`;
  const { rows } = await sql<R>`
    select ${listed.columns}, ${listed.group} as grp, ${value} as sort_value
    from ${listed.from} ${join} where ${all(conditions)}
    order by ${order} ${listed.id} desc limit ${size}`.execute(db);
  return rows;
}

function sortValue(listed: Listed, sort: Sort): RawBuilder<unknown> {
  switch (sort) {
    case 'newest':
      return sql`null`;
    case 'name':
      return listed.name;
    case 'lastUsedAt':
      return sql`coalesce(${listed.lastUsedAt}, ${NEVER})`;
    case 'total':
      return sql`coalesce(totals.total, 0)`;
  }
}

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
