import { type Expression, type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Tenant } from '../../kernel/authority.ts';
import type { Database, Storage } from '../../storage/index.ts';
import type { AuditRow } from './chain.ts';

export interface LogFilter {
  readonly actor?: string;
  readonly action?: string;
  /** One id, or several with commas between them. */
  readonly target?: string;
  readonly targetType?: string;
  readonly projectId?: string;
  readonly from: number | null;
  readonly to: number | null;
}

/** A position in the list, which is sorted by time, then by id. */
export interface LogPosition {
  readonly created_at: number;
  readonly id: string;
}

export type LogRow = AuditRow & { sealed: number | boolean };

type Column = keyof AuditRow;
const column = (name: Column) => sql.ref(`audit_log.${name}`);

/**
 * The column without its index. SQLite, which has no statistics, could otherwise read all rows of the account
 * to find those of two targets.
 */
const unindexed = (name: Column) => sql`(${column(name)} || '')`;

const tenantConditions = (
  { accountId, projectIds }: Tenant,
  accountColumn: RawBuilder<unknown>,
): Expression<SqlBool>[] => [
  sql`${accountColumn} = ${accountId}`,
  ...(projectIds === null
    ? []
    : [sql<SqlBool>`${column('project_id')} in (${sql.join(projectIds)})`]),
];

export const positionQuery = (db: Kysely<Database>, tenant: Tenant, id: string) =>
  db
    .selectFrom('audit_log')
    .select(['created_at', 'id'])
    .where('id', '=', id)
    .where((eb) => eb.and(tenantConditions(tenant, unindexed('account_id'))));

export const findPosition = (
  { point }: Storage,
  tenant: Tenant,
  id: string,
): Promise<LogPosition | undefined> => positionQuery(point, tenant, id).executeTakeFirst();

export interface LogQuery {
  readonly tenant: Tenant;
  readonly filter: LogFilter;
  readonly before: LogPosition | null;
  readonly size: number;
  readonly offset?: number;
}

export async function listRows({ read }: Storage, query: LogQuery): Promise<LogRow[]> {
  return (await listQuery(query).execute(read)).rows;
}

/** Newest first. Rows without a seal are listed in `audit_unsealed`. */
export const listQuery = (query: LogQuery): RawBuilder<LogRow> => sql`
    select audit_log.*, not exists (
      select 1 from audit_unsealed where audit_unsealed.seq = audit_log.seq) as sealed
    from audit_log where ${conditions(query)}
    order by ${column('created_at')} desc, ${column('id')} desc limit ${query.size} offset ${query.offset ?? 0}`;

/** The column whose index finds the rows; each of these indexes is in the order of the list. */
function indexedColumn({ target, actor }: LogFilter): Column {
  if (target !== undefined) return 'target_id';
  return actor === undefined ? 'account_id' : 'actor_id';
}

function conditions({ tenant, filter, before }: LogQuery): RawBuilder<SqlBool> {
  const { actor, action, target, targetType, projectId, from, to } = filter;
  const indexed = indexedColumn(filter);
  const of = (name: Column) => (name === indexed ? column(name) : unindexed(name));
  const all = tenantConditions(tenant, of('account_id'));
  const equal = (compared: RawBuilder<unknown>, value: string | undefined) => {
    if (value !== undefined) all.push(sql`${compared} = ${value}`);
  };
  equal(of('actor_id'), actor);
  if (target?.includes(','))
    all.push(sql`${column('target_id')} in (${sql.join(target.split(','))})`);
  else equal(column('target_id'), target);
  equal(column('target_type'), targetType);
  if (action?.endsWith('.')) all.push(sql`${column('action')} like ${`${action}%`}`);
  else equal(column('action'), action);
  if (projectId === 'null') all.push(sql`${column('project_id')} is null`);
  else equal(column('project_id'), projectId);
  if (from !== null) all.push(sql`${column('created_at')} >= ${from}`);
  // `to` is left out if `before` is below it. With both conditions, SQLite would start every page at `to`
  // and skip all rows of earlier pages.
  if (to !== null && !(before && before.created_at < to))
    all.push(sql`${column('created_at')} < ${to}`);
  if (before !== null)
    all.push(
      sql`(${column('created_at')}, ${column('id')}) < (${before.created_at}, ${before.id})`,
    );
  return sql.join(all, sql` and `);
}
