import { type Principal, type Tenant, tenantOf } from '../../kernel/authority.ts';
import { KeywardError } from '../../kernel/errors.ts';
import { listing, type RowRange } from '../../kernel/paging.ts';
import type { Listing } from '../../kernel/route.ts';
import { isoTime } from '../../kernel/time/clock.ts';
import { readQueryTime } from '../../kernel/time/read-time.ts';
import type { Storage } from '../../storage/index.ts';
import type { AuditLog, ListAuditLogs } from './schema.ts';
import { findPosition, type LogFilter, type LogRow, listRows } from './store.ts';

export const auditLog = (row: LogRow): AuditLog => ({
  id: row.id,
  accountId: row.account_id,
  projectId: row.project_id,
  actorType: row.actor_type,
  actorId: row.actor_id,
  action: row.action,
  targetType: row.target_type,
  targetId: row.target_id,
  before: recordIn(row.before),
  after: recordIn(row.after),
  requestId: row.request_id,
  clientAddress: row.client_address,
  userAgent: row.user_agent,
  createdAt: isoTime(row.created_at),
  sealed: Boolean(row.sealed),
});

const recordIn = (text: string | null): Record<string, unknown> | null =>
  text === null ? null : JSON.parse(text);

/** Lists the audit log. Rows are written with the changes, and never changed or deleted. */
export class AuditService {
  readonly #storage: Storage;

  constructor(parts: { storage: Storage }) {
    this.#storage = parts.storage;
  }

  async list(principal: Principal, query: ListAuditLogs): Promise<Listing<AuditLog>> {
    const tenant = tenantOf(principal);
    const filter = filterOf(query);
    const fetch = async ({ after, ...range }: RowRange<string>) => {
      const before = after === null ? null : await this.#positionOf(tenant, after);
      return listRows(this.#storage, { tenant, filter, before, ...range });
    };
    return listing(query, 'aud', fetch, auditLog);
  }

  async #positionOf(tenant: Tenant, id: string) {
    const position = await findPosition(this.#storage, tenant, id);
    if (!position) throw new KeywardError('invalid_cursor');
    return position;
  }
}

function filterOf(query: ListAuditLogs): LogFilter {
  const from = readQueryTime('from', query.from);
  const to = readQueryTime('to', query.to);
  if (from !== null && to !== null && from > to)
    throw new KeywardError('invalid_query', 'from must not be after to.');
  return { ...query, from, to };
}
