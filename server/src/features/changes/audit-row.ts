import type { AuditAction, AuditTarget } from '@keyward/rules/audit-actions.ts';
import type { Insertable } from 'kysely';
import type { Actor } from '../../kernel/actor.ts';
import type { Principal } from '../../kernel/authority.ts';
import type { AuditLogTable } from '../../storage/schema/audit.ts';

/** One change of one resource. `before` and `after` are records as the API shows them, without secrets. */
export interface AuditEntry {
  readonly action: AuditAction;
  readonly accountId: string;
  readonly projectId: string | null;
  readonly targetType: AuditTarget;
  readonly targetId: string;
  readonly before?: object | null;
  readonly after?: object | null;
}

/** Who made the change: a principal, or the service itself. */
export interface AuditActor extends Omit<Actor, 'principal' | 'requestId'> {
  readonly principal: {
    readonly kind: Principal['kind'] | 'system';
    readonly id: string;
    readonly customAccountId?: string;
  };
  readonly requestId: string | null;
}

export const SYSTEM: AuditActor = {
  principal: { kind: 'system', id: 'system' },
  requestId: null,
  clientAddress: null,
  userAgent: null,
};

const MAX_USER_AGENT = 512;

export function auditRow(
  entry: AuditEntry,
  actor: AuditActor,
  id: string,
  now: number,
): Insertable<AuditLogTable> {
  return {
    id,
    account_id: entry.accountId,
    project_id: entry.projectId,
    actor_type: actor.principal.kind,
    // For a portal session, the id of the customer: sessions are short-lived.
    actor_id: actor.principal.customAccountId ?? actor.principal.id,
    action: entry.action,
    target_type: entry.targetType,
    target_id: entry.targetId,
    before: entry.before ? JSON.stringify(entry.before) : null,
    after: entry.after ? JSON.stringify(entry.after) : null,
    request_id: actor.requestId,
    client_address: actor.clientAddress,
    user_agent: actor.userAgent?.slice(0, MAX_USER_AGENT) ?? null,
    created_at: now,
  };
}
