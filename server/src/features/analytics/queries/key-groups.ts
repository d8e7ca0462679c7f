import type { Outcome } from '@keyward/rules/outcomes.ts';
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Database, isFew } from '../../../storage/index.ts';
import { countedFields } from './count-fields.ts';
import { all, type CountsFilter, EFFECTIVE_PLAN } from './counts-filter.ts';
import type { CountRange } from './counts-reader.ts';
import type { SeriesPosition } from './cursor.ts';
import {
  type KeyCondition,
  keyCondition,
  keyConditions,
  requireFewKeys,
  selectKeyCounts,
} from './key-sources.ts';
import type { CountSelection } from './selections.ts';
import type { Series, SeriesSource } from './series.ts';
import type { SeriesRange } from './series-range.ts';
import { needsCounts, type Sort, topGroups } from './totals-query.ts';

/** A property of keys that counts are grouped by. */
interface KeyGrouping {
  readonly order: string;
  /** Its value for `api_keys as m`; null: the key has none. */
  readonly value: RawBuilder<unknown>;
  /** Whether an index of the account's keys begins with the value. */
  readonly isIndexed: boolean;
  /** The query that lists all values, if that is not a query of keys. */
  readonly list?: ValueList;
  /** Names for display, of the values that have one. */
  names(values: readonly string[]): Promise<readonly { id: string; name: string | null }[]>;
}

interface ValueList {
  /** `… as m` */
  readonly from: RawBuilder<unknown>;
  readonly value: RawBuilder<unknown>;
  readonly where: readonly RawBuilder<SqlBool>[];
}

/** Customers have an index by project and id. */
const projectsIn = ({ accountId, projectId }: CountsFilter): RawBuilder<SqlBool>[] => [
  sql<SqlBool>`m.account_id = ${accountId}`,
  ...(projectId === null ? [] : [sql<SqlBool>`m.id = ${projectId}`]),
];

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
  isIndexed: true,
  async names(values) {
    const { rows } = await sql<{ id: string; name: string | null }>`
      select m.custom_account_id as id, min(m.name) as name from customers as m
      where m.project_id in (select id from projects as m where ${all(projectsIn(filter))})
        and m.custom_account_id in (${sql.join(values)})
      group by m.custom_account_id`.execute(db);
    return rows;
  },
});

export const byCustomUserId: KeyGrouping = {
  order: 'm.custom_user_id',
  value: sql.ref('m.custom_user_id'),
  isIndexed: true,
  names: async () => [],
};

/** By the plan that each key has today, whatever it was when the key was used. */
export const byPlan = (db: Kysely<Database>, filter: CountsFilter): KeyGrouping => ({
  order: 'plans',
  value: EFFECTIVE_PLAN,
  isIndexed: false,
  // There are far fewer plans than keys. A single key gets no rows for plans that it does not have.
  ...(filter.keySeq === null && {
    list: { from: sql`plans as m`, value: sql.ref('m.id'), where: ownedBy(filter) },
  }),
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
  const { accountId } = filter;
  const { value, order, isIndexed } = grouping;
  const conditions = keyConditions(filter);
  /** Keys with some values, which an index finds if the values have one. */
  const having = (test: (of: RawBuilder<unknown>) => RawBuilder<SqlBool>): KeyCondition[] => [
    isIndexed
      ? keyCondition(accountId, (table) => test(columnOf(grouping, table)))
      : { where: test(value) },
    ...conditions,
  ];
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
  const values = async (where: SeriesRange) => {
    const query = await valuesQuery(db, grouping, filter, where);
    const { rows } = await sql<{ value: string }>`${query}`.execute(db);
    return rows.map((row): SeriesPosition => ({ value: row.value, id: row.value }));
  };
  const unset = async (): Promise<SeriesPosition[]> =>
    (await hasUnset(db, grouping, filter)) ? [{ value: null, id: '' }] : [];
  const byValue: SeriesSource['page'] = async (where) => {
    const { after, inclusive, size } = where;
    if (after !== null && after.value === null) return seriesOf(inclusive ? await unset() : []);
    const found = await values(where);
    return seriesOf(found.length < size ? [...found, ...(await unset())] : found);
  };
  const byTotal: SeriesSource['page'] = async (page) => {
    const selection = await selectKeyCounts(db, accountId, conditions, value);
    return seriesOf(await topGroups(db, { selection, sort, range }, page));
  };
  // One key has one value, which is listed even if it was never counted.
  const isSortedByCounts = needsCounts(sort) && filter.keySeq === null;
  return {
    order: isSortedByCounts ? `${order} by ${sort}` : order,
    pageSize,
    readsKeys: true,
    page: isSortedByCounts ? byTotal : byValue,
    async selection(series) {
      const named = series.flatMap(({ group }) => (group === null ? [] : [group]));
      const selections: CountSelection[] = [];
      if (named.length > 0) {
        const isNamed = (of: RawBuilder<unknown>) => sql<SqlBool>`${of} in (${sql.join(named)})`;
        selections.push(await selectKeyCounts(db, accountId, having(isNamed), value));
      }
      if (named.length < series.length)
        selections.push(await selectKeyCounts(db, accountId, having(isUnset), value));
      return selections;
    },
  };
}

const isUnset = (of: RawBuilder<unknown>) => sql<SqlBool>`${of} is null`;

const columnOf = ({ order }: KeyGrouping, table: string) =>
  sql.ref(order.replace('m.', `${table}.`));

/** Whether nothing but the account, or a project with many keys, restricts the keys. */
async function hasManyKeys(db: Kysely<Database>, filter: CountsFilter): Promise<boolean> {
  const [only, ...others] = keyConditions(filter);
  if (only === undefined) return true;
  return others.length === 0 && filter.projectId !== null && !(await isFew(db, only.source!));
}

/** Lists the values in their order, beginning after `after` or, if `inclusive`, with it. */
async function valuesQuery(
  db: Kysely<Database>,
  grouping: KeyGrouping,
  filter: CountsFilter,
  { after, inclusive, size }: SeriesRange,
): Promise<RawBuilder<unknown>> {
  const { list, value, isIndexed } = grouping;
  const isNext = (of: RawBuilder<unknown>): RawBuilder<SqlBool> =>
    after === null
      ? sql`${of} is not null`
      : sql`${of} ${sql.raw(inclusive ? '>=' : '>')} ${after.value}`;
  if (list === undefined && isIndexed && (await hasManyKeys(db, filter)))
    return valuesInTurn(filter, columnOf(grouping, 'i'), isNext, size);
  const of = list?.value ?? value;
  const where = list?.where ?? (await requireFewKeys(db, filter.accountId, keyConditions(filter)));
  return sql`select distinct ${of} as value from ${list?.from ?? sql`api_keys as m`}
    where ${all([...where, sql`${of} is not null`, isNext(of)])} order by 1 limit ${size}`;
}

/** Looks each value up after the one before: a value can be that of very many keys. */
function valuesInTurn(
  filter: CountsFilter,
  column: RawBuilder<unknown>,
  isNext: (of: RawBuilder<unknown>) => RawBuilder<SqlBool>,
  size: number,
): RawBuilder<unknown> {
  const first = (condition: RawBuilder<SqlBool>) => sql`(select ${column} from api_keys as i
    where ${all([...withinProject(filter), condition])} order by ${column} limit 1)`;
  return sql`with recursive v(value) as (
      select ${first(isNext(column))}
      union all
      select ${first(sql`${column} > v.value`)} from v where v.value is not null)
    select value from v where value is not null limit ${size}`;
}

/** Written so that SQLite reads the index of the values, not that of projects. */
function withinProject({ accountId, projectId }: CountsFilter): RawBuilder<SqlBool>[] {
  const ofAccount = sql<SqlBool>`i.account_id = ${accountId}`;
  return projectId === null
    ? [ofAccount]
    : [ofAccount, sql<SqlBool>`coalesce(i.project_id, '') = ${projectId}`];
}

/** Whether there are keys without a value. */
async function hasUnset(
  db: Kysely<Database>,
  grouping: KeyGrouping,
  filter: CountsFilter,
): Promise<boolean> {
  const { value, isIndexed } = grouping;
  const isMany = isIndexed && (await hasManyKeys(db, filter));
  const where = isMany
    ? [...withinProject(filter), isUnset(columnOf(grouping, 'i'))]
    : [...(await requireFewKeys(db, filter.accountId, keyConditions(filter))), isUnset(value)];
  const { rows } = await sql`select 1 from api_keys as ${sql.raw(isMany ? 'i' : 'm')}
    where ${all(where)} limit 1`.execute(db);
  return rows.length > 0;
}
