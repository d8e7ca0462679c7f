import { KEY_OUTCOMES, OUTCOMES, type Outcome } from '@keyward/rules/outcomes.ts';
import { type Kysely, type SqlBool, sql } from 'kysely';
import type { Database } from '../../../storage/index.ts';
import { isKeyOutcome } from '../outcomes.ts';
import { ACCESS_KEY_USAGE, PROJECT_USAGE } from '../usage-kinds.ts';
import { countedFields, seriesBasics } from './count-fields.ts';
import { type CountsFilter, picksKeys } from './counts-filter.ts';
import type { CountRange } from './counts-reader.ts';
import type { SeriesPosition } from './cursor.ts';
import { byCustomAccountId, byCustomUserId, byPlan, keyGroupSource } from './key-groups.ts';
import { keyConditions, selectKeyCounts } from './key-sources.ts';
import { keySource } from './key-totals.ts';
import { countedResources, RESOURCE } from './parts.ts';
import { type CountSelection, selectBySeq, selectOwners } from './selections.ts';
import type { Series, SeriesSource } from './series.ts';
import { needsCounts, type Sort, topGroups } from './totals-query.ts';

export const GROUPINGS = [
  'key',
  'customAccountId',
  'customUserId',
  'outcome',
  'accessKey',
  'plan',
  'resource',
] as const;
export type Grouping = (typeof GROUPINGS)[number];

export interface GroupsQuery {
  readonly filter: CountsFilter;
  readonly range: CountRange;
  /** Count only this outcome. */
  readonly outcome: Outcome | null;
  /** Not used when grouping by outcome or by access key. */
  readonly sort: Sort;
  readonly pageSize: number;
}

export function groupSource(
  db: Kysely<Database>,
  grouping: Grouping,
  query: GroupsQuery,
): SeriesSource {
  switch (grouping) {
    case 'key':
      return keys(db, query);
    case 'customAccountId':
      return keyGroupSource(db, byCustomAccountId(db, query.filter), query);
    case 'customUserId':
      return keyGroupSource(db, byCustomUserId, query);
    case 'plan':
      return keyGroupSource(db, byPlan(db, query.filter), query);
    case 'resource':
      return resources(db, query);
    case 'outcome':
      return outcomes(db, query);
    case 'accessKey':
      return accessKeys(db, query);
  }
}

const keys = (db: Kysely<Database>, { filter, range, outcome, sort, pageSize }: GroupsQuery) =>
  keySource(db, filter, range, sort, pageSize, (row) => ({
    ...seriesBasics(row),
    ...countedFields(row.id, row.name, outcome),
  }));

const KNOWN_KEYS = 0;
const UNKNOWN_VALUES = 1;

/** One series for each resource, of all keys of the filter. */
function resources(
  db: Kysely<Database>,
  { filter, range, outcome, sort, pageSize }: GroupsQuery,
): SeriesSource {
  const selection = () =>
    picksKeys(filter)
      ? selectKeyCounts(db, filter.accountId, keyConditions(filter), RESOURCE)
      : { ...projectSelection(filter), group: RESOURCE };
  const seriesOf = (position: SeriesPosition): Series => ({
    position,
    group: position.id,
    since: 0,
    ...countedFields(position.id, null, outcome),
  });
  const isSorted = needsCounts(sort);
  return {
    order: isSorted ? `resources by ${sort}` : 'resources',
    pageSize,
    readsKeys: false,
    async page(page) {
      if (isSorted) {
        const order = { selection: await selection(), sort, range };
        return (await topGroups(db, order, page)).map(seriesOf);
      }
      const found = await countedResources(db, filter, range.resource ?? null, page);
      return found.map((id) => seriesOf({ value: id, id }));
    },
    selection,
  };
}

/**
 * One series for each outcome, over all keys of the filter. Unknown and malformed values have no key and no resource;
 * they are counted by access key, and left out if the filter selects keys or a resource.
 */
function outcomes(
  db: Kysely<Database>,
  { filter, range, outcome, pageSize }: GroupsQuery,
): SeriesSource {
  const isOfKeys = picksKeys(filter) || range.resource !== undefined;
  const known = isOfKeys ? KEY_OUTCOMES : OUTCOMES;
  const shown = known.filter((each) => outcome === null || each === outcome);
  const series = shown.map((each): Series => {
    const place = OUTCOMES.indexOf(each);
    return {
      position: { value: place, id: each },
      group: isKeyOutcome(each) ? KNOWN_KEYS : UNKNOWN_VALUES,
      since: 0,
      ...countedFields(each, null, each),
    };
  });
  return {
    order: 'outcomes',
    pageSize: Math.max(pageSize, series.length),
    readsKeys: picksKeys(filter),
    async page({ after, inclusive, size }) {
      const isNext = (place: number) =>
        after === null || place > Number(after.value) || (inclusive && place === after.value);
      return series.filter(({ position }) => isNext(Number(position.value))).slice(0, size);
    },
    async selection(page) {
      if (picksKeys(filter)) {
        const group = sql.lit(KNOWN_KEYS);
        return selectKeyCounts(db, filter.accountId, keyConditions(filter), group);
      }
      const selection: CountSelection[] = [];
      if (page.some(({ group }) => group === KNOWN_KEYS)) selection.push(projectSelection(filter));
      if (page.some(({ group }) => group === UNKNOWN_VALUES))
        selection.push(await accessKeySelection(db, filter));
      return selection;
    },
  };
}

/** Reads the counts that are stored for whole projects. */
function projectSelection({ accountId, projectId }: CountsFilter): CountSelection {
  const only = projectId === null ? sql`` : sql`and id = ${projectId}`;
  return {
    kind: PROJECT_USAGE,
    where: sql<SqlBool>`m.project_id in
      (select id from projects where account_id = ${accountId} ${only})`,
    group: sql.lit(KNOWN_KEYS),
    isSmall: true,
  };
}

function accessKeySelection(
  db: Kysely<Database>,
  { accountId, projectId }: CountsFilter,
): Promise<CountSelection> {
  const conditions = [sql<SqlBool>`m.account_id = ${accountId}`];
  if (projectId !== null) conditions.push(sql`m.project_id = ${projectId}`);
  return selectOwners(db, ACCESS_KEY_USAGE, conditions, sql.lit(UNKNOWN_VALUES));
}

function accessKeys(
  db: Kysely<Database>,
  { filter, outcome, pageSize }: GroupsQuery,
): SeriesSource {
  return {
    order: 'access keys',
    pageSize,
    readsKeys: false,
    async page({ after, inclusive, size }) {
      let query = db
        .selectFrom('access_keys')
        .select(['seq', 'id', 'name', 'created_at'])
        .where('account_id', '=', filter.accountId)
        .orderBy('id', 'desc')
        .limit(size);
      if (filter.projectId !== null) query = query.where('project_id', '=', filter.projectId);
      if (after !== null) query = query.where('id', inclusive ? '<=' : '<', after.id);
      return (await query.execute()).map((row) => ({
        position: { value: null, id: row.id },
        group: row.seq,
        since: row.created_at,
        ...countedFields(row.id, row.name, outcome),
      }));
    },
    selection: (series) =>
      selectBySeq(
        ACCESS_KEY_USAGE,
        series.map(({ group }) => group as number),
      ),
  };
}
