import { PLAN } from '@keyward/rules/resources/plan.ts';
import type { Actor } from '../../kernel/actor.ts';
import { type Principal, requireScope, type Scope, tenantOf } from '../../kernel/authority.ts';
import { KeywardError } from '../../kernel/errors.ts';
import type { MakeId } from '../../kernel/ids.ts';
import { listing } from '../../kernel/paging.ts';
import type { Listing } from '../../kernel/route.ts';
import { isoTime } from '../../kernel/time/clock.ts';
import type { Storage } from '../../storage/index.ts';
import type { AuditEntry, ChangeRunner, Idempotency, Unit } from '../changes/index.ts';
import { columnsOf, differences } from '../fields/index.ts';
import { chooseProject, type ProjectCache } from '../projects/index.ts';
import type { CreatePlan, ListPlans, Plan, UpdatePlan } from './schema.ts';
import { COUNTED_MAX, findPlan, listPlanRows, type PlanRow, usesOf } from './store.ts';

const planColumns = columnsOf(PLAN);

const planRecord = (row: PlanRow): Plan => ({
  id: row.id,
  projectId: row.project_id,
  ...planColumns.read(row),
  createdAt: isoTime(row.created_at),
  updatedAt: isoTime(row.updated_at),
});

interface Parts {
  readonly storage: Storage;
  readonly changes: ChangeRunner;
  readonly ids: MakeId;
  readonly projects: ProjectCache;
}

/** Plans: named settings that keys and customers of a project share. */
export class PlanService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async create(actor: Actor, input: CreatePlan, idempotency?: Idempotency): Promise<Plan> {
    const { projects, changes, ids } = this.#parts;
    const { principal } = actor;
    const project = await chooseProject(projects, principal, input.projectId, (resource) =>
      requireScope(principal, 'plans:write', resource, 'project_not_found'),
    );
    if (input.credits) {
      const resource = { accountId: project.account_id, projectId: project.id };
      requireScope(principal, 'credits:write', resource, 'project_not_found');
    }
    const columns = planColumns.toInsert(input);
    return changes.run(
      actor,
      async (unit) => {
        const row: PlanRow = {
          id: ids('pln'),
          account_id: project.account_id,
          project_id: project.id,
          ...columns,
          revision: 1,
          created_at: unit.now,
          updated_at: unit.now,
        };
        await unit.tx.insertInto('plans').values(row).execute();
        recordChange(unit, 'plan.created', null, row);
        return planRecord(row);
      },
      idempotency,
    );
  }

  async get(principal: Principal, id: string): Promise<Plan> {
    return planRecord(await this.#find(this.#parts.storage.point, principal, 'plans:read', id));
  }

  list(principal: Principal, filter: ListPlans): Promise<Listing<Plan>> {
    const tenant = tenantOf(principal);
    const { storage } = this.#parts;
    return listing(
      filter,
      'pln',
      (range) => listPlanRows(storage, tenant, filter, range),
      planRecord,
    );
  }

  async update(actor: Actor, id: string, input: UpdatePlan): Promise<Plan> {
    const { storage, changes } = this.#parts;
    await this.#find(storage.point, actor.principal, 'plans:write', id);
    if (input.credits !== undefined)
      await this.#find(storage.point, actor.principal, 'credits:write', id);
    const wanted = planColumns.toUpdate(input);
    return changes.run(actor, async (unit) => {
      const before = await this.#find(unit.tx, actor.principal, 'plans:write', id);
      const changed = differences(before, wanted);
      if (changed === null) return planRecord(before);
      const set = { ...changed, revision: before.revision + 1, updated_at: unit.now };
      await unit.tx.updateTable('plans').set(set).where('id', '=', id).execute();
      const after = { ...before, ...set };
      recordChange(unit, 'plan.updated', before, after);
      return planRecord(after);
    });
  }

  async delete(actor: Actor, id: string): Promise<void> {
    const { storage, changes } = this.#parts;
    await this.#find(storage.point, actor.principal, 'plans:write', id);
    await changes.run(actor, async (unit) => {
      // The lock on the row keeps other changes from assigning the plan meanwhile.
      const row = await this.#find(unit.tx, actor.principal, 'plans:write', id);
      requireUnused(await usesOf(unit.tx, row));
      await unit.tx.deleteFrom('plans').where('id', '=', id).execute();
      recordChange(unit, 'plan.deleted', row, null);
    });
  }

  async #find(
    db: Storage['point'],
    principal: Principal,
    action: Scope,
    id: string,
  ): Promise<PlanRow> {
    const row = await findPlan(db, tenantOf(principal), id);
    if (!row) throw new KeywardError('plan_not_found');
    const resource = { accountId: row.account_id, projectId: row.project_id };
    requireScope(principal, action, resource, 'plan_not_found');
    return row;
  }
}

function requireUnused({ keys, customers, isDefault }: Awaited<ReturnType<typeof usesOf>>): void {
  if (keys === 0 && customers === 0 && !isDefault) return;
  const users = [
    ...(keys > 0 ? [counted(keys, 'key')] : []),
    ...(customers > 0 ? [counted(customers, 'customer')] : []),
  ].join(' and ');
  const uses = [
    ...(users === '' ? [] : [`used by ${users}`]),
    ...(isDefault ? ['the default of its project'] : []),
  ].join(', and is ');
  throw new KeywardError('plan_in_use', `This plan is ${uses}. Choose another plan first.`);
}

const counted = (count: number, noun: string): string =>
  count > COUNTED_MAX
    ? `more than ${COUNTED_MAX.toLocaleString('en')} ${noun}s`
    : `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;

function recordChange(
  unit: Unit,
  action: AuditEntry['action'],
  before: PlanRow | null,
  after: PlanRow | null,
): void {
  const { id, account_id: accountId, project_id: projectId } = (after ?? before)!;
  unit.audit({
    action,
    accountId,
    projectId,
    targetType: 'plan',
    targetId: id,
    before: before && planRecord(before),
    after: after && planRecord(after),
  });
  // A plan that is created or deleted has no keys.
  if (before === null || after === null) return;
  unit.affects({ kind: 'plan', id, accountId, projectId });
  unit.emit({ type: 'plan.updated', accountId, projectId, data: planRecord(after) });
}
