import type { Actor } from '../../kernel/actor.ts';
import { type Principal, requireScope, tenantOf } from '../../kernel/authority.ts';
import { KeywardError } from '../../kernel/errors.ts';
import type { MakeId } from '../../kernel/ids.ts';
import { listing } from '../../kernel/paging.ts';
import type { Listing } from '../../kernel/route.ts';
import type { Secrets } from '../../kernel/secrets/crypto.ts';
import { generateValue, PORTAL_PREFIX } from '../../kernel/secrets/key-values.ts';
import { type Clock, isoTime } from '../../kernel/time/clock.ts';
import type { Storage } from '../../storage/index.ts';
import type { AuditEntry, ChangeRunner, Idempotency, Unit } from '../changes/index.ts';
import { requireFilterable } from '../customers/index.ts';
import { listOrNull, permissionsText } from '../policies/index.ts';
import { chooseProject, originsOf, type ProjectCache } from '../projects/index.ts';
import { checkReturnUrl, grantedActions } from './rules.ts';
import type {
  CreatePortalSession,
  ListPortalSessions,
  NewPortalSession,
  PortalSession,
} from './schema.ts';
import { findSession, listSessionRows, type PortalSessionRow } from './store.ts';

const DEFAULT_SECONDS = 3_600;

const sessionRecord = (row: PortalSessionRow): PortalSession => ({
  id: row.id,
  projectId: row.project_id,
  customAccountId: row.custom_account_id,
  allow: JSON.parse(row.allow),
  permissions: listOrNull(row.permissions),
  returnUrl: row.return_url,
  createdBy: row.created_by,
  createdAt: isoTime(row.created_at),
  expiresAt: isoTime(row.expires_at),
});

interface Parts {
  readonly storage: Storage;
  readonly changes: ChangeRunner;
  readonly secrets: Secrets;
  readonly ids: MakeId;
  readonly clock: Clock;
  readonly projects: ProjectCache;
  readonly publicUrl: () => string;
}

/** Creates and ends the sessions in which customers manage their own keys. */
export class PortalSessionService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async create(
    actor: Actor,
    input: CreatePortalSession,
    idempotency?: Idempotency,
  ): Promise<NewPortalSession> {
    const { projects, changes, secrets, ids, publicUrl } = this.#parts;
    const { principal } = actor;
    const project = await chooseProject(projects, principal, input.projectId, (resource) =>
      requireScope(principal, 'portal:write', resource, 'project_not_found'),
    );
    requireFilterable(input.customAccountId);
    const actions = grantedActions(principal, input.allow);
    const permissions = permissionsText(input.permissions);
    const returnUrl = input.returnUrl && checkReturnUrl(input.returnUrl, originsOf(project));
    return changes.run(
      actor,
      async (unit) => {
        const token = generateValue(PORTAL_PREFIX);
        const row: PortalSessionRow = {
          id: ids('pse'),
          hash: secrets.hashValue(token),
          account_id: project.account_id,
          project_id: project.id,
          custom_account_id: input.customAccountId,
          allow: JSON.stringify(actions),
          permissions,
          return_url: returnUrl ?? null,
          created_by: principal.id,
          created_at: unit.now,
          expires_at: unit.now + 1000 * (input.expiresInSeconds ?? DEFAULT_SECONDS),
        };
        await unit.tx.insertInto('portal_sessions').values(row).execute();
        recordChange(unit, 'portal-session.created', null, row);
        const url = `${publicUrl()}/portal/${project.id}/#${token}`;
        return { ...sessionRecord(row), url, token };
      },
      idempotency,
    );
  }

  async get(principal: Principal, id: string): Promise<PortalSession> {
    return sessionRecord(await this.#find(this.#parts.storage.point, principal, id));
  }

  list(principal: Principal, filter: ListPortalSessions): Promise<Listing<PortalSession>> {
    const tenant = tenantOf(principal);
    const now = this.#parts.clock();
    const { storage } = this.#parts;
    return listing(
      filter,
      'pse',
      (range) => listSessionRows(storage, tenant, filter, now, range),
      sessionRecord,
    );
  }

  async end(actor: Actor, id: string): Promise<void> {
    await this.#parts.changes.onFullDisk.run(actor, async (unit) => {
      const row = await this.#find(unit.tx, actor.principal, id);
      await unit.tx.deleteFrom('portal_sessions').where('id', '=', id).execute();
      recordChange(unit, 'portal-session.deleted', row, null);
    });
  }

  async #find(db: Storage['point'], principal: Principal, id: string): Promise<PortalSessionRow> {
    const row = await findSession(db, tenantOf(principal), id, this.#parts.clock());
    if (!row) throw new KeywardError('portal_session_not_found');
    return row;
  }
}

function recordChange(
  unit: Unit,
  action: AuditEntry['action'],
  before: PortalSessionRow | null,
  after: PortalSessionRow | null,
): void {
  const { id, account_id: accountId, project_id: projectId } = (after ?? before)!;
  unit.audit({
    action,
    accountId,
    projectId,
    targetType: 'portal-session',
    targetId: id,
    before: before && sessionRecord(before),
    after: after && sessionRecord(after),
  });
}
