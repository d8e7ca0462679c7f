import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Tenant } from '../../kernel/authority.ts';
import type { Database, EngineName, Storage } from '../../storage/index.ts';
import type { AuditRow } from './chain.ts';

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

/** On SQLite rows are sealed in the order of their numbers; on PostgreSQL what is not sealed is noted. */
const SEALED: Record<EngineName, RawBuilder<number | boolean>> = {
  sqlite: sql`audit_log.seq <= (select coalesce(max(audit_seq), 0) from audit_seals)`,
  postgres: sql`not exists (select 1 from audit_unsealed where audit_unsealed.seq = audit_log.seq)`,
};

const tenantRows = (db: Kysely<Database>, tenant: Tenant) => {
  const rows = db.selectFrom('audit_log').where('account_id', '=', tenant.accountId);
  return tenant.projectIds === null ? rows : rows.where('project_id', 'in', tenant.projectIds);
};

export const findPlace = (
  db: Kysely<Database>,
  tenant: Tenant,
  id: string,
): Promise<Place | undefined> =>
  tenantRows(db, tenant).select(['created_at', 'id']).where('id', '=', id).executeTakeFirst();

export function listRows(
  { read, engine }: Storage,
  tenant: Tenant,
  filter: LogFilter,
  before: Place | null,
  size: number,
): Promise<LogRow[]> {
  const { actor, action, target, targetType, projectId, from, to } = filter;
  let rows = tenantRows(read, tenant);
  if (actor !== undefined) rows = rows.where('actor_id', '=', actor);
  if (target !== undefined) rows = rows.where('target_id', '=', target);
  if (targetType !== undefined) rows = rows.where('target_type', '=', targetType);
  if (action !== undefined)
    rows = action.endsWith('.')
      ? rows.where('action', 'like', `${action}%`)
      : rows.where('action', '=', action);
  if (projectId === 'null') rows = rows.where('project_id', 'is', null);
  else if (projectId !== undefined) rows = rows.where('project_id', '=', projectId);
  if (from !== null) rows = rows.where('created_at', '>=', from);
  if (to !== null) rows = rows.where('created_at', '<', to);
  if (before !== null)
    rows = rows.where((eb) =>
      eb(eb.refTuple('created_at', 'id'), '<', eb.tuple(before.created_at, before.id)),
    );
  return rows
    .selectAll('audit_log')
    .select(SEALED[engine].as('sealed'))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(size)
    .execute();
}
