import { PROJECT } from '@keyward/rules/resources/project.ts';
import type { Updateable } from 'kysely';
import type { Actor } from '../../kernel/actor.ts';
import { accountFor, type Principal, requireScope, type Scope } from '../../kernel/authority.ts';
import { KeywardError } from '../../kernel/errors.ts';
import type { MakeId } from '../../kernel/ids.ts';
import { listing } from '../../kernel/paging.ts';
import type { Listing } from '../../kernel/route.ts';
import type { Storage } from '../../storage/index.ts';
import type { ProjectsTable } from '../../storage/schema/accounts.ts';
import type { AuditEntry, ChangeRunner, Idempotency, Unit } from '../changes/index.ts';
import { columnsOf, differences } from '../fields/index.ts';
import { requirePlan } from '../policies/index.ts';
import { brandingRecord, type ChangedBranding, changedBranding } from './branding.ts';
import { noticesOf, noticesText, type UsageEvents, usageEventsOf } from './notices.ts';
import { changedBy, createdBy, provenance } from './provenance.ts';
import type { CreateProject, ListProjects, Project, UpdateProject } from './schema.ts';
import {
  endPortalSessions,
  findProject,
  listProjectRows,
  type ProjectRow,
  projectIn,
  rescanExpiryNotices,
  resetUsagePeriods,
  writeLogo,
} from './store.ts';

export const projectColumns = columnsOf(PROJECT);

export function projectRecord(row: ProjectRow): Project {
  const { name, portalOrigins, onLeak, ...fields } = projectColumns.read(row);
  return {
    id: row.id,
    name,
    accountId: row.account_id,
    ...fields,
    branding: brandingRecord(row),
    portalOrigins,
    onLeak,
    notices: noticesOf(row.notices),
    usageEvents: usageEventsOf(row.usage_events),
    ...provenance(row),
  };
}

interface ProjectChange {
  readonly columns: Updateable<ProjectsTable>;
  readonly logo?: ChangedBranding['logo'];
}

interface Parts {
  readonly storage: Storage;
  readonly changes: ChangeRunner;
  readonly ids: MakeId;
}

export class ProjectService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async create(actor: Actor, input: CreateProject, idempotency?: Idempotency): Promise<Project> {
    const columns = projectColumns.toInsert(input);
    const branding = changedBranding(input.branding);
    const accountId = accountFor(actor.principal, input.accountId);
    requireScope(
      actor.principal,
      'projects:write',
      { accountId, projectId: null },
      'account_not_found',
    );
    return this.#parts.changes.run(
      actor,
      async (unit) => {
        const row: ProjectRow = {
          id: this.#parts.ids('prj'),
          account_id: accountId,
          is_active: 1,
          ...columns,
          ...branding.columns,
          notices: null,
          usage_events: null,
          ...createdBy(actor, unit.now),
        };
        await unit.tx.insertInto('projects').values(row).execute();
        if (branding.logo !== undefined) await writeLogo(unit.tx, row.id, branding.logo);
        recordChange(unit, 'project.created', null, row);
        return projectRecord(row);
      },
      idempotency,
    );
  }

  async get(principal: Principal, id: string): Promise<Project> {
    return projectRecord(await this.#find(principal, 'projects:read', id));
  }

  list(principal: Principal, filter: ListProjects): Promise<Listing<Project>> {
    const accountId = accountFor(principal, filter.accountId);
    const projectIds = principal.kind === 'operator' ? null : principal.projectIds;
    const resource = { accountId, projectId: projectIds?.[0] ?? null };
    requireScope(principal, 'projects:read', resource, 'account_not_found');
    const { storage } = this.#parts;
    return listing(
      filter,
      'prj',
      (range) => listProjectRows(storage, accountId, projectIds, range),
      projectRecord,
    );
  }

  update(actor: Actor, id: string, input: UpdateProject): Promise<Project> {
    const wanted = projectColumns.toUpdate(input);
    return this.#change(actor, id, 'project.updated', (row) => {
      const { notices, usageEvents } = input;
      const branding = changedBranding(input.branding, row);
      const columns = differences(row, {
        ...wanted,
        ...branding.columns,
        ...(notices && { notices: noticesText(row.notices, notices) }),
        ...(usageEvents !== undefined && { usage_events: settingText(usageEvents) }),
      });
      return columns && { columns, logo: branding.logo };
    });
  }

  /** Its keys and access keys stop working, until it is reactivated. */
  deactivate(actor: Actor, id: string): Promise<Project> {
    return this.#change(actor, id, 'project.deleted', (row) =>
      row.is_active === 0 ? null : { columns: { is_active: 0 } },
    );
  }

  reactivate(actor: Actor, id: string): Promise<Project> {
    return this.#change(actor, id, 'project.reactivated', (row) =>
      row.is_active === 1 ? null : { columns: { is_active: 1 } },
    );
  }

  /** `change` returns null if there is nothing to do. */
  async #change(
    actor: Actor,
    id: string,
    action: AuditEntry['action'],
    change: (row: ProjectRow) => ProjectChange | null,
  ): Promise<Project> {
    const { account_id } = await this.#find(actor.principal, 'projects:write', id);
    const { changes } = this.#parts;
    const isDeactivation = action === 'project.deleted';
    return (isDeactivation ? changes.onFullDisk : changes).run(actor, async (unit) => {
      const before = (await projectIn(unit.tx, account_id, id))!;
      const wanted = change(before);
      if (wanted === null) return projectRecord(before);
      const { columns, logo } = wanted;
      if (columns.default_plan_id) await requirePlan(unit.tx, id, columns.default_plan_id);
      const set = { ...columns, ...changedBy(actor, unit.now) };
      await unit.tx.updateTable('projects').set(set).where('id', '=', id).execute();
      const after = { ...before, ...set };
      if (after.notices !== before.notices || after.is_active > before.is_active)
        await rescanExpiryNotices(unit.tx, id);
      if ((after.usage_events === null) !== (before.usage_events === null))
        await resetUsagePeriods(unit.tx, id, usageEventsOf(after.usage_events), unit.now);
      if (after.logo_hash !== before.logo_hash) await writeLogo(unit.tx, id, logo);
      if (after.is_active === 0) await endPortalSessions(unit.tx, id);
      recordChange(unit, action, before, after);
      return projectRecord(after);
    });
  }

  async #find(principal: Principal, action: Scope, id: string): Promise<ProjectRow> {
    const row = await findProject(
      this.#parts.storage.point,
      principal.kind === 'operator' ? null : principal.accountId,
      id,
    );
    if (!row) throw new KeywardError('project_not_found');
    const resource = { accountId: row.account_id, projectId: row.id };
    requireScope(principal, action, resource, 'project_not_found');
    return row;
  }
}

const settingText = (setting: UsageEvents | null): string | null =>
  setting && JSON.stringify({ interval: setting.interval, groupBy: setting.groupBy });

function recordChange(
  unit: Unit,
  action: AuditEntry['action'],
  before: ProjectRow | null,
  after: ProjectRow,
): void {
  unit.audit({
    action,
    accountId: after.account_id,
    projectId: after.id,
    targetType: 'project',
    targetId: after.id,
    before: before && projectRecord(before),
    after: projectRecord(after),
  });
  unit.affects({ kind: 'project', id: after.id, accountId: after.account_id });
  if (before === null) return;
  if (action === 'project.deleted') {
    unit.holdOrReleaseDeliveries(after.id, 'hold');
    return;
  }
  const { account_id: accountId, id: projectId } = after;
  unit.emit({ type: 'project.updated', accountId, projectId, data: projectRecord(after) });
  if (action === 'project.reactivated') unit.holdOrReleaseDeliveries(projectId, 'release');
}
