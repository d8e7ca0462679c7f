import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '../../../storage/index.ts';
import type { UsageKind } from '../usage-kinds.ts';
import { all } from './counts-filter.ts';
import {
  type CountRange,
  countsFrom,
  type Marks,
  ofResource,
  readConsistently,
  segmentsToRead,
} from './counts-reader.ts';
import type { SeriesPosition } from './cursor.ts';
import { type CountSelection, owners } from './selections.ts';
import type { SeriesRange } from './series-range.ts';

export const SORTS = ['total', 'name', 'lastUsedAt', 'cost'] as const;
export type Sort = (typeof SORTS)[number] | 'newest';

/** Whether the counts have to be read to sort. */
export const needsCounts = (sort: Sort): boolean => sort === 'total' || sort === 'cost';

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

/** Sorts below every time, so that unused keys come last. */
const NEVER = -1;

/** One page of a list. Rows with equal sort values are sorted newest first. */
async function listPage<R extends ListRow>(
  db: Kysely<Database>,
  list: ListSource,
  sort: Sort,
  /** Joined if the list is sorted by total or cost. */
  totals: RawBuilder<unknown> | null,
  { after, inclusive, size, offset }: SeriesRange,
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
    order by ${order} ${list.id} desc limit ${size} offset ${offset}`.execute(db);
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
    case 'cost':
      return sql`coalesce(totals.total, 0)`;
  }
}

/** The columns that `totals` adds up. */
function addends({ columns }: UsageKind, sort: Sort): UsageKind['columns'] {
  if (sort === 'cost') return ['valid', 'extra_cost'];
  return columns.filter((column) => column !== 'extra_cost');
}

interface CountedOrder {
  readonly selection: CountSelection;
  readonly sort: Sort;
  readonly range: CountRange;
}

/**
 * `totals(grp, total)`: the number or the cost of all requests of each group, read in one statement
 * from the coarsest tables that cover the range. Sorting needs the totals of all groups.
 */
async function totalsTable(
  db: Kysely<Database>,
  { selection, sort, range }: CountedOrder,
  marks: Marks,
): Promise<RawBuilder<unknown>> {
  const counted = sql.join(
    addends(selection.kind, sort).map((column) => sql.ref(`u.${column}`)),
    sql` + `,
  );
  const select = sql`select ${selection.group} as grp, ${counted} as counted`;
  const segments = await segmentsToRead(db, selection.kind, range, marks);
  const parts = segments.map((segment) =>
    countsFrom({ ...selection, isSmall: false }, segment, select),
  );
  const nothing = sql`select ${selection.group} as grp, 0 as counted from ${owners(selection)} where 1 = 0`;
  return sql`(select grp, cast(sum(counted) as bigint) as total
    from (${sql.join([nothing, ...parts], sql` union all `)}) as counts group by grp) as totals`;
}

interface Order {
  readonly list: ListSource;
  readonly sort: Sort;
  readonly range: CountRange;
  selection(): CountSelection | Promise<CountSelection>;
}

/** One page in the order of `sort`. Only sorting by total or cost reads the counts. */
export async function orderedPage<R extends ListRow>(
  db: Kysely<Database>,
  { list, sort, range, selection }: Order,
  page: SeriesRange,
): Promise<readonly R[]> {
  if (!needsCounts(sort)) return listPage<R>(db, list, sort, null, page);
  const counted = { selection: await ofResource(db, await selection(), range), sort, range };
  return readConsistently(db, counted.selection.kind, async (marks) =>
    listPage<R>(db, list, sort, await totalsTable(db, counted, marks), page),
  );
}

/** One page of the groups that have counts, highest first. The group of unset values has the id ''. */
export async function topGroups(
  db: Kysely<Database>,
  { selection, ...rest }: CountedOrder,
  { after, inclusive, size }: SeriesRange,
): Promise<SeriesPosition[]> {
  const order = { ...rest, selection: await ofResource(db, selection, rest.range) };
  return readConsistently(db, order.selection.kind, async (marks) => {
    const id = sql`coalesce(grp, '')`;
    const idAfter = inclusive ? sql`${id} <= ` : sql`${id} < `;
    const beyond =
      after === null
        ? sql`1 = 1`
        : sql`(total < ${after.value} or (total = ${after.value} and ${idAfter}${after.id}))`;
    const { rows } = await sql<SeriesPosition>`
      select total as value, ${id} as id from ${await totalsTable(db, order, marks)}
      where ${beyond} order by 1 desc, 2 desc limit ${size}`.execute(db);
    return [...rows];
  });
}
