import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '../../../storage/index.ts';
import { ACCESS_KEY_OUTCOMES, isKeyOutcome, KEY_OUTCOMES, type Outcome } from '../outcomes.ts';
import { ACCESS_KEYS, PROJECTS } from '../usage-kinds.ts';
import { countedFields } from './count-fields.ts';
import type { Asked, Members } from './counts-reader.ts';
import { bySeq, keyMembers, membersOf } from './counts-reader.ts';
import { keySource, seriesBasics } from './key-totals.ts';
import { all, keysIn, picksKeys, type Scope } from './scope.ts';
import type { Series, SeriesSource } from './series.ts';
import type { Sort } from './totals-query.ts';

export const GROUPINGS = [
  'key',
  'customAccountId',
  'customUserId',
  'outcome',
  'accessKey',
] as const;
export type Grouping = (typeof GROUPINGS)[number];

export interface GroupsQuestion {
  readonly scope: Scope;
  readonly asked: Asked;
  /** Only this outcome is counted. */
  readonly outcome: Outcome | null;
  /** Of keys; every other grouping has an order of its own. */
  readonly sort: Sort;
  readonly pageSize: number;
}

export function groupSource(
  db: Kysely<Database>,
  grouping: Grouping,
  question: GroupsQuestion,
): SeriesSource {
  switch (grouping) {
    case 'key':
      return keys(db, question);
    case 'customAccountId':
      return customIds(db, question, 'm.custom_account_id');
    case 'customUserId':
      return customIds(db, question, 'm.custom_user_id');
    case 'outcome':
      return outcomes(db, question);
    case 'accessKey':
      return accessKeys(db, question);
  }
}

const keys = (db: Kysely<Database>, { scope, asked, outcome, sort, pageSize }: GroupsQuestion) =>
  keySource(db, scope, asked, sort, pageSize, (row) => ({
    ...seriesBasics(row),
    ...countedFields(row.id, row.name, outcome),
  }));

/** By value; those without one come last. */
function customIds(
  db: Kysely<Database>,
  { scope, outcome, pageSize }: GroupsQuestion,
  column: string,
): SeriesSource {
  const value = sql.ref(column);
  const named = (id: string | null): Series => ({
    position: { value: id, id: id ?? '' },
    group: id,
    since: 0,
    ...countedFields(id, null, outcome),
  });
  const valuesFrom = async (first: RawBuilder<SqlBool>, size: number): Promise<Series[]> => {
    const { rows } = await sql<{ value: string }>`
      select distinct ${value} as value from api_keys as m
      where ${all([...keysIn(scope), sql`${value} is not null`, first])}
      order by 1 limit ${size}`.execute(db);
    return rows.map((row) => named(row.value));
  };
  const unnamed = async (): Promise<Series[]> => {
    const { rows } = await sql`select 1 from api_keys as m
      where ${all([...keysIn(scope), sql`${value} is null`])} limit 1`.execute(db);
    return rows.map(() => named(null));
  };
  return {
    order: column,
    pageSize,
    readsKeys: true,
    async page(after, inclusive, size) {
      if (after !== null && after.value === null) return inclusive ? unnamed() : [];
      const beyond = inclusive ? sql<SqlBool>`${value} >= ` : sql<SqlBool>`${value} > `;
      const first = after === null ? sql<SqlBool>`1 = 1` : sql<SqlBool>`${beyond}${after.value}`;
      const found = await valuesFrom(first, size);
      return found.length < size ? [...found, ...(await unnamed())] : found;
    },
    members(series) {
      const values = series.flatMap(({ group }) => (group === null ? [] : [group]));
      const either: RawBuilder<SqlBool>[] = [];
      if (values.length > 0) either.push(sql`${value} in (${sql.join(values)})`);
      if (values.length < series.length) either.push(sql`${value} is null`);
      const someOf = sql<SqlBool>`(${sql.join(either, sql` or `)})`;
      return keyMembers(db, [...keysIn(scope), someOf], value);
    },
  };
}

const OF_KEYS = 0;
const OF_NOBODY = 1;

/**
 * All keys of the scope as one, an outcome a series. What was nobody's is known from who asked for
 * it, unless only some keys are meant.
 */
function outcomes(
  db: Kysely<Database>,
  { scope, outcome, pageSize }: GroupsQuestion,
): SeriesSource {
  const known = picksKeys(scope) ? KEY_OUTCOMES : ACCESS_KEY_OUTCOMES;
  const shown = known.filter((each) => outcome === null || each === outcome);
  const series = shown.map((each): Series => {
    const place = ACCESS_KEY_OUTCOMES.indexOf(each);
    return {
      position: { value: place, id: each },
      group: isKeyOutcome(each) ? OF_KEYS : OF_NOBODY,
      since: 0,
      totalOf: (counts) => counts[place] ?? 0,
      row: countedFields(each, null, each).row,
    };
  });
  return {
    order: 'outcomes',
    pageSize: Math.max(pageSize, series.length),
    readsKeys: picksKeys(scope),
    async page(after, inclusive, size) {
      const isNext = (place: number) =>
        after === null || place > Number(after.value) || (inclusive && place === after.value);
      return series.filter(({ position }) => isNext(Number(position.value))).slice(0, size);
    },
    async members(page) {
      if (picksKeys(scope)) return keyMembers(db, keysIn(scope), sql.lit(OF_KEYS));
      const members: Members[] = [];
      if (page.some(({ group }) => group === OF_KEYS)) members.push(ofProjects(scope));
      if (page.some(({ group }) => group === OF_NOBODY)) members.push(await ofAskers(db, scope));
      return members;
    },
  };
}

/** From the sums that are kept for projects. */
function ofProjects({ accountId, projectId }: Scope): Members {
  const only = projectId === null ? sql`` : sql`and id = ${projectId}`;
  return {
    subject: PROJECTS,
    where: sql<SqlBool>`m.project_id in
      (select id from projects where account_id = ${accountId} ${only})`,
    group: sql.lit(OF_KEYS),
    areFew: true,
  };
}

function ofAskers(db: Kysely<Database>, { accountId, projectId }: Scope): Promise<Members> {
  const conditions = [sql<SqlBool>`m.account_id = ${accountId}`];
  if (projectId !== null) conditions.push(sql`m.project_id = ${projectId}`);
  return membersOf(db, ACCESS_KEYS, conditions, sql.lit(OF_NOBODY));
}

function accessKeys(
  db: Kysely<Database>,
  { scope, outcome, pageSize }: GroupsQuestion,
): SeriesSource {
  return {
    order: 'access keys',
    pageSize,
    readsKeys: false,
    async page(after, inclusive, size) {
      let query = db
        .selectFrom('access_keys')
        .select(['seq', 'id', 'name', 'created_at'])
        .where('account_id', '=', scope.accountId)
        .orderBy('id', 'desc')
        .limit(size);
      if (scope.projectId !== null) query = query.where('project_id', '=', scope.projectId);
      if (after !== null) query = query.where('id', inclusive ? '<=' : '<', after.id);
      return (await query.execute()).map((row) => ({
        position: { value: null, id: row.id },
        group: row.seq,
        since: row.created_at,
        ...countedFields(row.id, row.name, outcome),
      }));
    },
    members: (series) =>
      bySeq(
        ACCESS_KEYS,
        series.map(({ group }) => group as number),
      ),
  };
}
