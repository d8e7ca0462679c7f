import { KEY_OUTCOMES, USAGE_FIELDS } from '@keyward/rules/outcomes.ts';
import type { Kysely } from 'kysely';
import { isoTime } from '../../../kernel/time/clock.ts';
import type { Database } from '../../../storage/index.ts';
import { COLUMN_INDEX } from '../outcomes.ts';
import { costOf, totalOf, unitFields } from './count-fields.ts';
import { projectSource } from './project-totals.ts';
import type { Range } from './range.ts';
import type { Series, SeriesSource } from './series.ts';
import { type Grouping, type GroupsQuery, groupSource } from './usage-groups.ts';

export const EXPORT_GROUPINGS = ['key', 'customer', 'project', 'resource'] as const;
export type ExportGrouping = (typeof EXPORT_GROUPINGS)[number];

export const EXPORT_INTERVALS = ['hour', 'day', 'month'] as const;

const GROUPS: Readonly<Record<Exclude<ExportGrouping, 'project'>, Grouping>> = {
  key: 'key',
  customer: 'customAccountId',
  resource: 'resource',
};

/** The column of each grouping, in which a row names its group. */
const COLUMNS = {
  key: 'keyId',
  customer: 'customAccountId',
  project: 'projectId',
  resource: 'resource',
} as const satisfies Record<ExportGrouping, string>;

type ExportQuery = Omit<GroupsQuery, 'outcome' | 'sort' | 'range'> & { readonly range: Range };

/**
 * One series for each key, customer, project or resource, whose rows have ids only. Their order never changes: keys and
 * projects newest first, customers and resources by their id. Keys without a customer are no group.
 */
export function exportSource(
  db: Kysely<Database>,
  groupBy: ExportGrouping,
  query: ExportQuery,
): SeriesSource {
  const { filter, range, pageSize } = query;
  const source =
    groupBy === 'project'
      ? projectSource(db, filter, range, 'newest', pageSize)
      : groupSource(db, GROUPS[groupBy], { ...query, outcome: null, sort: 'newest' });
  const ids = { projectId: filter.projectId, keyId: null, customAccountId: null };
  const seriesOf = (series: Series): Series => ({
    ...series,
    totalOf,
    row: (date, counts, units) => ({
      ...ids,
      resource: range.resource ?? null,
      [COLUMNS[groupBy]]: series.position.id,
      start: date,
      end: isoTime(range.bucketAt!(Date.parse(date!)).end),
      total: totalOf(counts),
      ...outcomesOf(counts),
      cost: costOf(counts),
      ...unitFields(units, costOf(counts)),
    }),
  });
  return {
    ...source,
    page: async (page) =>
      (await source.page(page)).filter(({ group }) => group !== null).map(seriesOf),
  };
}

const outcomesOf = (counts: readonly number[]) =>
  Object.fromEntries(
    KEY_OUTCOMES.map((outcome) => [USAGE_FIELDS[outcome], counts[COLUMN_INDEX[outcome]] ?? 0]),
  );
