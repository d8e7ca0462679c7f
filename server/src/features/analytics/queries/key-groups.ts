import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '../../../storage/index.ts';
import type { Outcome } from '../outcomes.ts';
import { countedFields } from './count-fields.ts';
import { all, type CountsFilter, EFFECTIVE_PLAN, keysIn } from './counts-filter.ts';
import { type CountRange, selectKeys } from './counts-reader.ts';
import type { SeriesPosition } from './cursor.ts';
import type { Series, SeriesSource } from './series.ts';
import { needsCounts, type Sort, topGroups } from './totals-query.ts';

/** A property of keys that counts are grouped by. */
interface KeyGrouping {
  readonly order: string;
  /** Its value for `api_keys as m`; null: the key has none. */
  readonly value: RawBuilder<unknown>;
  /** The query that lists all values. */
  readonly list: ValueList;
  /** Names for display, of the values that have one. */
  names(values: readonly string[]): Promise<readonly { id: string; name: string | null }[]>;
}

interface ValueList {
  /** `… as m` */
  readonly from: RawBuilder<unknown>;
  readonly value: RawBuilder<unknown>;
  readonly where: readonly RawBuilder<SqlBool>[];
}

const valuesOfKeys = (filter: CountsFilter, value: RawBuilder<unknown>): ValueList => ({
  from: sql`api_keys as m`,
  value,
  where: keysIn(filter),
});

const ownedBy = ({ accountId, projectId }: CountsFilter): RawBuilder<SqlBool>[] => {
  const conditions = [sql<SqlBool>`m.account_id = ${accountId}`];
  if (projectId !== null) conditions.push(sql`m.project_id = ${projectId}`);
  return conditions;
};

/**
 * A group has a name if a customer was created with this id. If customers of several projects have the id, one
 * of their names is used.
 */
export const byCustomAccountId = (db: Kysely<Database>, filter: CountsFilter): KeyGrouping => ({
  order: 'm.custom_account_id',
  value: sql.ref('m.custom_account_id'),
  list: valuesOfKeys(filter, sql.ref('m.custom_account_id')),
  async names(values) {
    const { rows } = await sql<{ id: string; name: string | null }>`
      select m.custom_account_id as id, min(m.name) as name from customers as m
      where ${all([...ownedBy(filter), sql`m.custom_account_id in (${sql.join(values)})`])}
      group by m.custom_account_id`.execute(db);
    return rows;
  },
});

export const byCustomUserId = (filter: CountsFilter): KeyGrouping => ({
  order: 'm.custom_user_id',
  value: sql.ref('m.custom_user_id'),
  list: valuesOfKeys(filter, sql.ref('m.custom_user_id')),
  names: async () => [],
});

/** By the plan that each key has today, whatever it was when the key was used. */
export const byPlan = (db: Kysely<Database>, filter: CountsFilter): KeyGrouping => ({
  order: 'plans',
  value: EFFECTIVE_PLAN,
  // There are far fewer plans than keys. A single key gets no rows for plans that it does not have.
  list:
    filter.keySeq === null
      ? { from: sql`plans as m`, value: sql.ref('m.id'), where: ownedBy(filter) }
      : valuesOfKeys(filter, EFFECTIVE_PLAN),
  names: (values) =>
    db.selectFrom('plans').select(['id', 'name']).where('id', 'in', values).execute(),
});

interface KeyGroupsQuery {
  readonly filter: CountsFilter;
  readonly range: CountRange;
  readonly outcome: Outcome | null;
  readonly sort: Sort;
  readonly pageSize: number;
}

/**
 * One series for each value. Sorted by value, with the keys without a value last; or by total or cost,
 * without values that have no counts.
 */
export function keyGroupSource(
  db: Kysely<Database>,
  grouping: KeyGrouping,
  { filter, range, outcome, sort, pageSize }: KeyGroupsQuery,
): SeriesSource {
  const { value, list, order } = grouping;
  const seriesOf = async (positions: readonly SeriesPosition[]): Promise<Series[]> => {
    const ids = positions.flatMap(({ id }) => (id === '' ? [] : [id]));
    const names = ids.length === 0 ? [] : await grouping.names(ids);
    const nameOf = new Map(names.map(({ id, name }) => [id, name]));
    return positions.map((position) => {
      const group = position.id === '' ? null : position.id;
      const name = nameOf.get(position.id) ?? null;
      return { position, group, since: 0, ...countedFields(group, name, outcome) };
    });
  };
  const valuesFrom = async (first: RawBuilder<SqlBool>, size: number) => {
    const { rows } = await sql<{ value: string }>`
      select distinct ${list.value} as value from ${list.from}
      where ${all([...list.where, sql`${list.value} is not null`, first])}
      order by 1 limit ${size}`.execute(db);
    return rows.map((row): SeriesPosition => ({ value: row.value, id: row.value }));
  };
  const unset = async (): Promise<SeriesPosition[]> => {
    const { rows } = await sql`select 1 from api_keys as m
      where ${all([...keysIn(filter), sql`${value} is null`])} limit 1`.execute(db);
    return rows.map(() => ({ value: null, id: '' }));
  };
  const byValue: SeriesSource['page'] = async ({ after, inclusive, size }) => {
    if (after !== null && after.value === null) return seriesOf(inclusive ? await unset() : []);
    const beyond = inclusive ? sql<SqlBool>`${list.value} >= ` : sql<SqlBool>`${list.value} > `;
    const first = after === null ? sql<SqlBool>`1 = 1` : sql<SqlBool>`${beyond}${after.value}`;
    const found = await valuesFrom(first, size);
    return seriesOf(found.length < size ? [...found, ...(await unset())] : found);
  };
  const byTotal: SeriesSource['page'] = async (page) => {
    const selection = await selectKeys(db, keysIn(filter), value);
    return seriesOf(await topGroups(db, { selection, sort, range }, page));
  };
  // One key has one value, which is listed even if it was never counted.
  const isSortedByCounts = needsCounts(sort) && filter.keySeq === null;
  return {
    order: isSortedByCounts ? `${order} by ${sort}` : order,
    pageSize,
    readsKeys: true,
    page: isSortedByCounts ? byTotal : byValue,
    selection(series) {
      const values = series.flatMap(({ group }) => (group === null ? [] : [group]));
      const either: RawBuilder<SqlBool>[] = [];
      if (values.length > 0) either.push(sql`${value} in (${sql.join(values)})`);
      if (values.length < series.length) either.push(sql`${value} is null`);
      const someOf = sql<SqlBool>`(${sql.join(either, sql` or `)})`;
      return selectKeys(db, [...keysIn(filter), someOf], value);
    },
  };
}
