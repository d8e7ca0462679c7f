import { type Kysely, type SqlBool, sql } from 'kysely';
import type { Database } from '../../../storage/index.ts';
import { RESOURCE_USAGE, UNIT_USAGE, type UsageKind } from '../usage-kinds.ts';
import { all, type CountsFilter } from './counts-filter.ts';
import { type CountSelection, withOwners } from './selections.ts';
import type { SeriesRange } from './series-range.ts';

/** The column that usage by resource is grouped by, where parts are selected. */
export const RESOURCE = sql.ref<string>('p.resource');

/** The rows of `usage_parts as p` that belong to an owner `m`. Access keys have none. */
const PARTS_OF = {
  api_keys: sql<SqlBool>`p.key_seq = m.seq`,
  project_usage: sql<SqlBool>`p.project_id = m.project_id and coalesce(p.key_seq, 0) = 0`,
} as const;

const partsOf = (owner: UsageKind['owner']) =>
  owner === 'api_keys' || owner === 'project_usage' ? PARTS_OF[owner] : null;

/** The counts of the same owners by resource. `resource` null: of all resources. */
export function selectResources(
  db: Kysely<Database>,
  selection: CountSelection,
  resource: string | null,
): Promise<CountSelection> {
  const conditions = [sql<SqlBool>`p.unit = ''`, ...isOf(resource)];
  return selectParts(db, selection, RESOURCE_USAGE, conditions);
}

/** What the same owners used of each unit; null: it is not counted for them. */
export function selectUnits(
  db: Kysely<Database>,
  selection: CountSelection,
  resource: string | null,
): Promise<CountSelection> | null {
  if (partsOf(selection.kind.owner) === null) return null;
  const conditions = [sql<SqlBool>`p.unit <> ''`, ...isOf(resource)];
  return selectParts(db, { ...selection, label: sql.ref('p.unit') }, UNIT_USAGE, conditions);
}

const isOf = (resource: string | null) =>
  resource === null ? [] : [sql<SqlBool>`p.resource = ${resource}`];

async function selectParts(
  db: Kysely<Database>,
  { kind: { owner }, seqs: _, ...selection }: CountSelection,
  kind: UsageKind,
  conditions: readonly ReturnType<typeof sql<SqlBool>>[],
): Promise<CountSelection> {
  const on = partsOf(owner);
  if (on === null) throw new Error(`The counts of ${owner} have no parts.`);
  const parts = { ...selection, kind, via: { owner, on: all([on, ...conditions]) } };
  return withOwners(db, parts);
}

/** Whether projects of the filter have used units, so that they have to be read. */
export async function usesUnits(
  db: Kysely<Database>,
  { accountId, projectId }: CountsFilter,
): Promise<boolean> {
  const only = projectId === null ? sql`` : sql`and m.id = ${projectId}`;
  const { rows } = await sql`select 1 from projects as m cross join usage_parts as p
    where m.account_id = ${accountId} ${only}
      and p.project_id = m.id and coalesce(p.key_seq, 0) = 0 and p.unit <> '' limit 1`.execute(db);
  return rows.length > 0;
}

/** Resources that projects of the filter have counted, in their order. `resource` null: all of them. */
export async function countedResources(
  db: Kysely<Database>,
  { accountId, projectId }: CountsFilter,
  resource: string | null,
  { after, inclusive, size }: SeriesRange,
): Promise<readonly string[]> {
  const only = projectId === null ? sql`` : sql`and m.id = ${projectId}`;
  const conditions = [sql<SqlBool>`p.unit = ''`, ...isOf(resource)];
  if (after !== null)
    conditions.push(sql`p.resource ${inclusive ? sql`>=` : sql`>`} ${after.value}`);
  const { rows } = await sql<{ resource: string }>`select distinct p.resource
    from projects as m cross join usage_parts as p
    where m.account_id = ${accountId} ${only}
      and p.project_id = m.id and coalesce(p.key_seq, 0) = 0 and ${all(conditions)}
    order by 1 limit ${size}`.execute(db);
  return rows.map((row) => row.resource);
}
