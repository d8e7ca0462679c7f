import { type Kysely, type SqlBool, sql } from 'kysely';
import { isoTimeOrNull } from '../../../kernel/clock.ts';
import type { Database } from '../../../storage/index.ts';
import { PROJECTS } from '../usage-kinds.ts';
import { totalFields, totalOf } from './count-fields.ts';
import type { Asked, Members } from './counts-reader.ts';
import { keyMembers } from './counts-reader.ts';
import { seriesBasics } from './key-totals.ts';
import { keysIn, picksKeys, type Scope } from './scope.ts';
import type { Series, SeriesSource } from './series.ts';
import type { Listed, ListedRow, Sort } from './totals-query.ts';
import { orderedPage } from './totals-query.ts';

interface ProjectRow extends ListedRow {
  readonly env: string;
}

function listedProjects(scope: Scope): Listed {
  const where = [sql<SqlBool>`p.account_id = ${scope.accountId}`];
  if (scope.projectId !== null) where.push(sql`p.id = ${scope.projectId}`);
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

/** Each project is a series; when only some of its keys are asked for, the sum of those. */
export function projectSource(
  db: Kysely<Database>,
  scope: Scope,
  asked: Asked,
  sort: Sort,
  pageSize: number,
): SeriesSource {
  const listed = listedProjects(scope);
  const members = (projectIds: readonly string[] | null): Members | Promise<Members> =>
    picksKeys(scope) ? someKeys(db, scope, projectIds) : wholeProjects(scope, projectIds);
  return {
    order: `projects by ${sort}`,
    pageSize,
    readsKeys: picksKeys(scope),
    async page(...where) {
      const order = { listed, sort, asked, members: () => members(null) };
      const rows = await orderedPage<ProjectRow>(db, order, ...where);
      return rows.map(projectSeries);
    },
    members: (series) => members(series.map(({ group }) => group as string)),
  };
}

/** From the sums that are kept for projects. */
function wholeProjects(scope: Scope, projectIds: readonly string[] | null): Members {
  const where =
    projectIds === null
      ? sql<SqlBool>`m.project_id in (select id from projects where account_id = ${scope.accountId})`
      : sql<SqlBool>`m.project_id in (${sql.join(projectIds)})`;
  return { subject: PROJECTS, where, group: sql.ref('m.project_id'), areFew: true };
}

function someKeys(
  db: Kysely<Database>,
  scope: Scope,
  projectIds: readonly string[] | null,
): Promise<Members> {
  const conditions = keysIn(scope);
  if (projectIds !== null) conditions.push(sql<SqlBool>`m.project_id in (${sql.join(projectIds)})`);
  return keyMembers(db, conditions, sql.ref('m.project_id'));
}

function projectSeries(row: ProjectRow): Series {
  return {
    ...seriesBasics(row),
    totalOf,
    row: (date, counts) => ({
      id: row.id,
      name: row.name,
      env: row.env,
      date,
      ...totalFields(counts),
      firstUsedAt: isoTimeOrNull(row.first_used_at),
      lastUsedAt: isoTimeOrNull(row.last_used_at),
    }),
  };
}
