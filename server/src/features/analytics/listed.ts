import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '../../storage/index.ts';
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
