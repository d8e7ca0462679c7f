import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Tenant } from '../../kernel/authority.ts';
import type { Storage } from '../../storage/index.ts';
import type { AuditRow } from './chain.ts';
import { LOOKUPS, type Lookup, lastEntered, tellsOfItsRow } from './lookup-tables.ts';

export interface LogFilter {
  readonly actor?: string;
  readonly action?: string;
  readonly target?: string;
  readonly targetType?: string;
  readonly projectId?: string;
  readonly from: number | null;
  readonly to: number | null;
}

/** A place in the list: it runs by time, and by id within a millisecond. */
export interface Place {
  readonly created_at: number;
  readonly id: string;
}

export type LogRow = AuditRow & { sealed: number | boolean };

type Column = keyof AuditRow;
type Columns = (column: Column) => RawBuilder<unknown>;
const ofLog: Columns = (column) => sql.ref(`audit_log.${column}`);

/** Those of the tenant. */
const ofTenant = ({ accountId, projectIds }: Tenant, of: Columns): Expression<SqlBool>[] => [
  sql`${of('account_id')} = ${accountId}`,
  ...(projectIds === null ? [] : [sql<SqlBool>`${of('project_id')} in (${sql.join(projectIds)})`]),
];

export const findPlace = (
  { read, engine }: Storage,
  tenant: Tenant,
  id: string,
): Promise<Place | undefined> =>
  read
    .selectFrom('audit_log')
    .select(['created_at', 'id'])
    .where(engine === 'sqlite' ? numberOf(id) : sql<SqlBool>`id = ${id}`)
    .where((eb) => eb.and(ofTenant(tenant, ofLog)))
    .executeTakeFirst();

/**
 * One statement: between two, a row could be entered. Of readers: what is not entered is gone through,
 * and there may be much of it when sealing has failed for a while.
 */
const numberOf = (id: string) => sql<SqlBool>`seq = coalesce(
  (select seq from audit_by_id where id = ${id}),
  (select seq from audit_log where seq > ${lastEntered} and id = ${id}))`;

export interface LogQuery {
  readonly tenant: Tenant;
  readonly filter: LogFilter;
  readonly before: Place | null;
  readonly size: number;
}

export async function listRows({ read, engine }: Storage, query: LogQuery): Promise<LogRow[]> {
  const asked = engine === 'sqlite' ? byLookup(query) : byIndex(query);
  return (await asked.execute(read)).rows;
}

/** Newest first. */
const inOrder = (of: Columns) => sql`order by ${of('created_at')} desc, ${of('id')} desc`;

/** What has no seal yet is noted. */
const byIndex = (query: LogQuery): RawBuilder<LogRow> => sql`
    select audit_log.*, not exists (
      select 1 from audit_unsealed where audit_unsealed.seq = audit_log.seq) as sealed
    from audit_log where ${wanted(query, ofLog)} ${inOrder(ofLog)} limit ${query.size}`;

/**
 * What is entered comes by its lookup, and what is behind the last of these from the log itself. That is
 * read from its end, nearly in the order of the list: in the other order every row would be among the
 * first for a moment and have to be sorted in (2,500 rows took 27 ms so, and take 6).
 */
export function byLookup(query: LogQuery): RawBuilder<LogRow> {
  const lookup = lookupFor(query.filter);
  const told: readonly string[] = LOOKUPS[lookup];
  const ofLookup: Columns = (column) =>
    told.includes(column) ? sql.ref(`${lookup}.${column}`) : ofLog(column);
  const ofEither: Columns = (column) => sql.ref(column);
  const { size } = query;
  return sql`
    select * from (
      select audit_log.*, 1 as sealed
      from ${sql.table(lookup)} cross join audit_log on ${tellsOfItsRow(lookup)}
      where ${wanted(query, ofLookup)} ${inOrder(ofLookup)} limit ${size})
    union all select * from (
      select * from (
        select audit_log.*, 0 as sealed from audit_log
        where seq > ${lastEntered} and ${wanted(query, ofLog)} order by seq desc limit -1)
      ${inOrder(ofEither)} limit ${size})
    ${inOrder(ofEither)} limit ${size}`;
}

function lookupFor({ target, actor }: LogFilter): Lookup {
  if (target !== undefined) return 'audit_by_target';
  return actor === undefined ? 'audit_by_account' : 'audit_by_actor';
}

function wanted({ tenant, filter, before }: LogQuery, of: Columns): RawBuilder<SqlBool> {
  const { actor, action, target, targetType, projectId, from, to } = filter;
  const all = ofTenant(tenant, of);
  const equal = (column: Column, value: string | undefined) => {
    if (value !== undefined) all.push(sql`${of(column)} = ${value}`);
  };
  equal('actor_id', actor);
  equal('target_id', target);
  equal('target_type', targetType);
  if (action?.endsWith('.')) all.push(sql`${of('action')} like ${`${action}%`}`);
  else equal('action', action);
  if (projectId === 'null') all.push(sql`${of('project_id')} is null`);
  else equal('project_id', projectId);
  if (from !== null) all.push(sql`${of('created_at')} >= ${from}`);
  // Beside a place SQLite would begin at `to` on every page, and go over all that was listed before.
  if (to !== null && !(before && before.created_at < to))
    all.push(sql`${of('created_at')} < ${to}`);
  if (before !== null)
    all.push(sql`(${of('created_at')}, ${of('id')}) < (${before.created_at}, ${before.id})`);
  return sql.join(all, sql` and `);
}
