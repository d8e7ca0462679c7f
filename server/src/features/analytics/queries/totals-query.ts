import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '../../../storage/index.ts';
import {
  type CountRange,
  type CountSelection,
  countsFrom,
  type Marks,
  plan,
  readConsistently,
} from './counts-reader.ts';
import type { SeriesPosition } from './cursor.ts';
import { all } from './scope.ts';

export const SORTS = ['total', 'name', 'lastUsedAt'] as const;
export type Sort = (typeof SORTS)[number] | 'newest';

/** A list with totals, of keys or of projects, with the same columns under the same names. */
export interface ListSource {
  readonly from: RawBuilder<unknown>;
  readonly where: readonly RawBuilder<SqlBool>[];
  readonly columns: RawBuilder<unknown>;
  readonly id: RawBuilder<unknown>;
  readonly name: RawBuilder<unknown>;
  readonly lastUsedAt: RawBuilder<unknown>;
  /** The column that counts are grouped by. */
  readonly group: RawBuilder<unknown>;
}

export interface ListRow {
  readonly id: string;
  readonly name: string;
  readonly grp: string | number;
  readonly sort_value: string | number | null;
  readonly first_used_at: number | null;
  readonly last_used_at: number | null;
  readonly created_at: number;
}

interface PagePosition {
  readonly after: SeriesPosition | null;
  /** Whether the page starts with the row at `after` itself. */
  readonly inclusive: boolean;
  readonly size: number;
}

/** Sorts below every time, so that unused keys come last. */
const NEVER = -1;

/** One page of a list. Rows with equal sort values are sorted newest first. */
async function listPage<R extends ListRow>(
  db: Kysely<Database>,
  list: ListSource,
  sort: Sort,
  /** Joined if the list is sorted by total. */
  totals: RawBuilder<unknown> | null,
  { after, inclusive, size }: PagePosition,
): Promise<readonly R[]> {
  const value = sortValue(list, sort);
  const ascending = sort === 'name';
  const conditions = [...list.where];
  if (after !== null) {
    const idAfter = inclusive ? sql`${list.id} <= ${after.id}` : sql`${list.id} < ${after.id}`;
    const beyond = ascending ? sql`${value} > ${after.value}` : sql`${value} < ${after.value}`;
    conditions.push(
      sort === 'newest'
        ? sql<SqlBool>`${idAfter}`
        : sql<SqlBool>`(${beyond} or (${value} = ${after.value} and ${idAfter}))`,
    );
  }
  const join = totals === null ? sql`` : sql`left join ${totals} on totals.grp = ${list.group}`;
  const direction = ascending ? sql`asc` : sql`desc`;
  const order = sort === 'newest' ? sql`` : sql`${value} ${direction},`;
  const { rows } = await sql<R>`
    select ${list.columns}, ${list.group} as grp, ${value} as sort_value
    from ${list.from} ${join} where ${all(conditions)}
    order by ${order} ${list.id} desc limit ${size}`.execute(db);
  return rows;
}

function sortValue(list: ListSource, sort: Sort): RawBuilder<unknown> {
  switch (sort) {
    case 'newest':
      return sql`null`;
    case 'name':
      return list.name;
    case 'lastUsedAt':
      return sql`coalesce(${list.lastUsedAt}, ${NEVER})`;
    case 'total':
      return sql`coalesce(totals.total, 0)`;
  }
}

/**
 * `totals(grp, total)`: the sum of all outcomes of each group, read in one statement from the coarsest
 * tables that cover the range. Sorting needs the totals of all groups.
 */
async function totalsTable(
  db: Kysely<Database>,
  selection: CountSelection,
  range: CountRange,
  marks: Marks,
): Promise<RawBuilder<unknown>> {
  const counted = sql.join(
    selection.kind.outcomes.map((outcome) => sql.ref(`u.${outcome}`)),
    sql` + `,
  );
  const select = sql`select ${selection.group} as grp, ${counted} as counted`;
  const segments = await plan(db, selection.kind, range, marks);
  const parts = segments.map((segment) =>
    countsFrom({ ...selection, isSmall: false }, segment, select),
  );
  const nothing = sql`select ${selection.group} as grp, 0 as counted from ${sql.table(selection.kind.owner)} as m where 1 = 0`;
  return sql`(select grp, cast(sum(counted) as bigint) as total
    from (${sql.join([nothing, ...parts], sql` union all `)}) as counts group by grp) as totals`;
}

interface Order {
  readonly list: ListSource;
  readonly sort: Sort;
  readonly range: CountRange;
  selection(): CountSelection | Promise<CountSelection>;
}

/** One page in the order of `sort`. Only sorting by total reads the counts. */
export async function orderedPage<R extends ListRow>(
  db: Kysely<Database>,
  { list, sort, range, selection }: Order,
  after: SeriesPosition | null,
  inclusive: boolean,
  size: number,
): Promise<readonly R[]> {
  const page = { after, inclusive, size };
  if (sort !== 'total') return listPage<R>(db, list, sort, null, page);
  const counted = await selection();
  return readConsistently(db, counted.kind, async (marks) =>
    listPage<R>(db, list, sort, await totalsTable(db, counted, range, marks), page),
  );
}
