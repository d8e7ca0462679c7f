import { type Kysely, type SqlBool, sql } from 'kysely';
import type { Database } from '../../../storage/index.ts';
import { PROJECT_USAGE } from '../usage-kinds.ts';
import { totalsSeries } from './count-fields.ts';
import { type CountsFilter, picksKeys } from './counts-filter.ts';
import type { CountRange } from './counts-reader.ts';
import { keyConditions, selectKeyCounts } from './key-sources.ts';
import type { CountSelection } from './selections.ts';
import type { Series, SeriesSource } from './series.ts';
import { type ListRow, type ListSource, orderedPage, type Sort } from './totals-query.ts';

interface ProjectListRow extends ListRow {
  readonly env: string;
}

function projectList(filter: CountsFilter): ListSource {
  const where = [sql<SqlBool>`p.account_id = ${filter.accountId}`];
  if (filter.projectId !== null) where.push(sql`p.id = ${filter.projectId}`);
  return {
    from: sql`projects as p left join project_usage as u on u.project_id = p.id`,
    where,
    columns: sql`p.id, p.name, p.env, p.created_at, u.first_used_at, u.last_used_at`,
    id: sql.ref('p.id'),
    name: sql.ref('p.name'),
    lastUsedAt: sql.ref('u.last_used_at'),
    group: sql.ref('p.id'),
  };
}

/** One series for each project. If the filter names keys, only those are counted. */
export function projectSource(
  db: Kysely<Database>,
  filter: CountsFilter,
  range: CountRange,
  sort: Sort,
  pageSize: number,
): SeriesSource {
  const list = projectList(filter);
  const selection = (
    projectIds: readonly string[] | null,
  ): CountSelection | Promise<CountSelection> =>
    picksKeys(filter) ? someKeys(db, filter, projectIds) : wholeProjects(filter, projectIds);
  return {
    order: `projects by ${sort}`,
    pageSize,
    readsKeys: picksKeys(filter),
    skipsSeries: true,
    async page(where) {
      const order = { list, sort, range, selection: () => selection(null) };
      const rows = await orderedPage<ProjectListRow>(db, order, where);
      return rows.map(projectSeries);
    },
    selection: (series) => selection(series.map(({ group }) => group as string)),
  };
}

/** Reads the counts that are stored for whole projects. */
function wholeProjects(filter: CountsFilter, projectIds: readonly string[] | null): CountSelection {
  const where =
    projectIds === null
      ? sql<SqlBool>`m.project_id in (select id from projects where account_id = ${filter.accountId})`
      : sql<SqlBool>`m.project_id in (${sql.join(projectIds)})`;
  return { kind: PROJECT_USAGE, where, group: sql.ref('m.project_id'), isSmall: true };
}

function someKeys(
  db: Kysely<Database>,
  filter: CountsFilter,
  projectIds: readonly string[] | null,
): Promise<CountSelection> {
  const conditions = keyConditions(filter);
  if (projectIds !== null)
    conditions.push({ where: sql`m.project_id in (${sql.join(projectIds)})` });
  return selectKeyCounts(db, filter.accountId, conditions, sql.ref('m.project_id'));
}

const projectSeries = (row: ProjectListRow): Series =>
  totalsSeries(row, { id: row.id, name: row.name, env: row.env });
