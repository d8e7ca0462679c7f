import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Tenant } from '../../kernel/authority.ts';
import type { Storage } from '../../storage/index.ts';
import type { AuditRow } from './chain.ts';
import { LOOKUPS, type Lookup, lastIndexedSeq, matchesItsRow } from './lookup-tables.ts';

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
type Columns = (column: Column) => RawBuilder<unknown>;
const logColumn: Columns = (column) => sql.ref(`audit_log.${column}`);

const tenantConditions = (
  { accountId, projectIds }: Tenant,
  of: Columns,
): Expression<SqlBool>[] => [
  sql`${of('account_id')} = ${accountId}`,
  ...(projectIds === null ? [] : [sql<SqlBool>`${of('project_id')} in (${sql.join(projectIds)})`]),
];

export const findPosition = (
  { read, engine }: Storage,
  tenant: Tenant,
  id: string,
): Promise<LogPosition | undefined> =>
  read
    .selectFrom('audit_log')
    .select(['created_at', 'id'])
    .where(engine === 'sqlite' ? hasId(id) : sql<SqlBool>`id = ${id}`)
    .where((eb) => eb.and(tenantConditions(tenant, logColumn)))
    .executeTakeFirst();

/**
 * A single statement, because a row could be sealed between two statements. It runs on a reader, because
 * it scans unsealed rows, and there may be many if sealing has failed for a while.
 */
const hasId = (id: string) => sql<SqlBool>`seq = coalesce(
  (select seq from audit_by_id where id = ${id}),
  (select seq from audit_log where seq > ${lastIndexedSeq} and id = ${id}))`;

export interface LogQuery {
  readonly tenant: Tenant;
  readonly filter: LogFilter;
  readonly before: LogPosition | null;
  readonly size: number;
}

export async function listRows({ read, engine }: Storage, query: LogQuery): Promise<LogRow[]> {
  const statement = engine === 'sqlite' ? byLookup(query) : byIndex(query);
  return (await statement.execute(read)).rows;
}

/** Newest first. */
const inOrder = (of: Columns) => sql`order by ${of('created_at')} desc, ${of('id')} desc`;

/** On PostgreSQL, rows without a seal are listed in `audit_unsealed`. */
const byIndex = (query: LogQuery): RawBuilder<LogRow> => sql`
    select audit_log.*, not exists (
      select 1 from audit_unsealed where audit_unsealed.seq = audit_log.seq) as sealed
    from audit_log where ${conditions(query, logColumn)} ${inOrder(logColumn)} limit ${query.size}`;

/**
 * Sealed rows are found through a lookup table, later ones by scanning the end of the log. The scan
 * runs backwards, nearly in the order of the list, which makes sorting cheaper: 6 ms instead of 27 for
 * 2,500 rows.
 */
export function byLookup(query: LogQuery): RawBuilder<LogRow> {
  const lookup = lookupFor(query.filter);
  const indexed: readonly string[] = LOOKUPS[lookup];
  const ofLookup: Columns = (column) =>
    indexed.includes(column) ? sql.ref(`${lookup}.${column}`) : logColumn(column);
  const ofEither: Columns = (column) => sql.ref(column);
  const { size } = query;
  return sql`
    select * from (
      select audit_log.*, 1 as sealed
      from ${sql.table(lookup)} cross join audit_log on ${matchesItsRow(lookup)}
      where ${conditions(query, ofLookup)} ${inOrder(ofLookup)} limit ${size})
    union all select * from (
      select * from (
        select audit_log.*, 0 as sealed from audit_log
        where seq > ${lastIndexedSeq} and ${conditions(query, logColumn)} order by seq desc limit -1)
      ${inOrder(ofEither)} limit ${size})
    ${inOrder(ofEither)} limit ${size}`;
}

function lookupFor({ target, actor }: LogFilter): Lookup {
  if (target !== undefined) return 'audit_by_target';
  return actor === undefined ? 'audit_by_account' : 'audit_by_actor';
}

function conditions({ tenant, filter, before }: LogQuery, of: Columns): RawBuilder<SqlBool> {
  const { actor, action, target, targetType, projectId, from, to } = filter;
  const all = tenantConditions(tenant, of);
  const equal = (column: Column, value: string | undefined) => {
    if (value !== undefined) all.push(sql`${of(column)} = ${value}`);
  };
  equal('actor_id', actor);
  if (target?.includes(',')) all.push(sql`${of('target_id')} in (${sql.join(target.split(','))})`);
  else equal('target_id', target);
  equal('target_type', targetType);
  if (action?.endsWith('.')) all.push(sql`${of('action')} like ${`${action}%`}`);
  else equal('action', action);
  if (projectId === 'null') all.push(sql`${of('project_id')} is null`);
  else equal('project_id', projectId);
  if (from !== null) all.push(sql`${of('created_at')} >= ${from}`);
  // `to` is left out if `before` is below it. With both conditions, SQLite would start every page at `to`
  // and skip all rows of earlier pages.
  if (to !== null && !(before && before.created_at < to))
    all.push(sql`${of('created_at')} < ${to}`);
  if (before !== null)
    all.push(sql`(${of('created_at')}, ${of('id')}) < (${before.created_at}, ${before.id})`);
  return sql.join(all, sql` and `);
}
