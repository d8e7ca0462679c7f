import type { Actor } from '../../../kernel/actor.ts';
import {
  accountFor,
  type Principal,
  requireScope,
  type Tenant,
  tenantOf,
} from '../../../kernel/authority.ts';
import { KeywardError } from '../../../kernel/errors.ts';
import { listing, type RowRange } from '../../../kernel/paging.ts';
import type { Listing } from '../../../kernel/route.ts';
import { isoTime, isoTimeOrNull } from '../../../kernel/time/clock.ts';
import type { Storage } from '../../../storage/index.ts';
import type { AuditEntry, ChangeRunner, Unit } from '../../changes/index.ts';
import { requireProject } from '../../projects/index.ts';
import { requireInvite, requireRoleGrant } from '../invitations/rules.ts';
import { personOf } from '../person.ts';
import type {
  DeleteUserRole,
  ListTeammates,
  Teammate,
  UpdateUserRole,
  UserRole,
} from './schema.ts';
import {
  deleteMembership,
  findMembership,
  hasOtherOwner,
  insertMembership,
  listTeammates,
  lockMembers,
  type MembershipRow,
  projectsIn,
  updateMembership,
} from './store.ts';

const userRole = (row: MembershipRow): UserRole => ({
  userId: row.user_id,
  ...roleFields(row),
});

const laterOf = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b);

const roleFields = (row: MembershipRow) => ({
  accountId: row.account_id,
  role: row.role,
  projectIds: projectsIn(row),
  createdAt: isoTime(row.created_at),
  updatedAt: isoTime(row.updated_at),
});

/** The members of an account and their roles. */
export class MembershipService {
  readonly #storage: Storage;
  readonly #changes: ChangeRunner;

  constructor(parts: { storage: Storage; changes: ChangeRunner }) {
    this.#storage = parts.storage;
    this.#changes = parts.changes;
  }

  async list(principal: Principal, filter: ListTeammates): Promise<Listing<Teammate>> {
    const tenant = tenantOf(principal);
    const accountId = filter.accountId ?? tenant.accountId;
    const { projectId } = filter;
    const reached = { accountId, projectId: tenant.projectIds?.[0] ?? null };
    requireScope(principal, 'invitations:read', reached, 'account_not_found');
    if (projectId !== undefined) {
      requireScope(principal, 'invitations:read', { accountId, projectId }, 'project_not_found');
      await requireProject(this.#storage.point, accountId, projectId);
    }
    const selection = { tenant, ownId: principal.id, projectId };
    const fetch = async (range: RowRange<string>) => {
      const rows = await listTeammates(this.#storage.read, selection, range);
      return rows.map((row) => ({
        id: row.user_id,
        ...roleFields(row),
        name: row.name,
        email: row.email,
        twoFactorEnabled: row.two_factor_enabled === 1,
        lastSignedInAt: isoTimeOrNull(laterOf(row.last_signed_in_at, row.last_session_at)),
      }));
    };
    return listing(filter, 'usr', fetch, (teammate) => teammate);
  }

  async roles(principal: Principal, userId: string): Promise<UserRole[]> {
    const { accountId } = tenantOf(principal);
    const row = await findMembership(this.#storage.point, accountId, userId);
    if (!row || !isWithin(tenantOf(principal), principal.id, row))
      throw new KeywardError('user_not_found');
    return [userRole(row)];
  }

  /** Nobody can grant a role above their own, or change a person whose role is above their own. */
  async update(actor: Actor, userId: string, input: UpdateUserRole): Promise<UserRole> {
    const accountId = accountFor(actor.principal, input.accountId);
    for (const projectId of input.projectIds ?? [])
      await requireProject(this.#storage.point, accountId, projectId);
    return this.#changes.run(actor, async (unit) => {
      const before = await this.#changeable(unit, actor.principal, userId);
      const projectIds = input.projectIds === undefined ? projectsIn(before) : input.projectIds;
      requireInvite(actor.principal, accountId, projectIds);
      requireRoleGrant(actor.principal, input.role);
      const set = { role: input.role, project_ids: projectIds && JSON.stringify(projectIds) };
      if (before.role === set.role && before.project_ids === set.project_ids)
        return userRole(before);
      const after = { ...before, ...set, updated_at: unit.now };
      if (!ownsAll(after)) await requireOtherOwner(unit, before);
      await updateMembership(unit.tx, before, { ...set, updated_at: unit.now });
      recordChange(unit, 'user.role-updated', before, after);
      return userRole(after);
    });
  }

  /** With a project, only that project is removed from the role, which ends with its last project. */
  async remove(actor: Actor, userId: string, input: DeleteUserRole): Promise<void> {
    const accountId = accountFor(actor.principal, input.accountId);
    const { projectId } = input;
    if (projectId !== undefined) await requireProject(this.#storage.point, accountId, projectId);
    await this.#changes.onFullDisk.run(actor, async (unit) => {
      const before = await this.#changeable(unit, actor.principal, userId);
      const remaining = projectId === undefined ? [] : projectsWithout(before, projectId);
      if (remaining.length > 0) {
        const set = { project_ids: JSON.stringify(remaining), updated_at: unit.now };
        await updateMembership(unit.tx, before, set);
        recordChange(unit, 'user.role-updated', before, { ...before, ...set });
        return;
      }
      await requireOtherOwner(unit, before);
      await deleteMembership(unit.tx, before);
      recordChange(unit, 'user.removed', before, null);
    });
  }

  /** Allowed with every role. */
  async leave(actor: Actor, accountId: string): Promise<void> {
    const { id } = personOf(actor);
    await this.#changes.run(actor, async (unit) => {
      await lockMembers(unit.tx, accountId);
      const before = await findMembership(unit.tx, accountId, id);
      if (!before) throw new KeywardError('account_not_found');
      await requireOtherOwner(unit, before);
      await deleteMembership(unit.tx, before);
      recordChange(unit, 'user.left', before, null);
    });
  }

  /** A member whom the caller may change. Locks the members of the account. */
  async #changeable(unit: Unit, principal: Principal, userId: string): Promise<MembershipRow> {
    const tenant = tenantOf(principal);
    await lockMembers(unit.tx, tenant.accountId);
    const row = await findMembership(unit.tx, tenant.accountId, userId);
    if (!row || !isWithin(tenant, principal.id, row)) throw new KeywardError('user_not_found');
    requireInvite(principal, tenant.accountId, projectsIn(row));
    requireRoleGrant(principal, row.role);
    return row;
  }
}

/**
 * The projects of a role, minus `projectId`. Throws if the role covers the whole account, or does not include
 * `projectId`.
 */
function projectsWithout(row: MembershipRow, projectId: string): string[] {
  const projectIds = projectsIn(row);
  if (projectIds === null) throw new KeywardError('role_account_wide');
  if (!projectIds.includes(projectId))
    throw new KeywardError('user_not_found', 'This user has no role in this project.');
  return projectIds.filter((id) => id !== projectId);
}

const ownsAll = (row: MembershipRow): boolean => row.role === 'owner' && row.project_ids === null;

async function requireOtherOwner(unit: Unit, row: MembershipRow): Promise<void> {
  if (ownsAll(row) && !(await hasOtherOwner(unit.tx, row))) throw new KeywardError('last_owner');
}

/** A person limited to projects sees themselves, and members whose projects are all among these. */
function isWithin({ projectIds }: Tenant, ownId: string, row: MembershipRow): boolean {
  if (projectIds === null || row.user_id === ownId) return true;
  const theirs = projectsIn(row);
  return theirs?.every((id) => projectIds.includes(id)) ?? false;
}

function recordChange(
  unit: Unit,
  action: AuditEntry['action'],
  before: MembershipRow,
  after: MembershipRow | null,
): void {
  unit.audit({
    action,
    accountId: before.account_id,
    projectId: null,
    targetType: 'user',
    targetId: before.user_id,
    before: userRole(before),
    after: after && userRole(after),
  });
}

/** The creator of an account is its owner. */
export async function makeOwner(unit: Unit, accountId: string, userId: string): Promise<void> {
  const role = 'owner';
  await insertMembership(unit.tx, { userId, accountId, role, projectIds: null }, unit.now);
  unit.audit({
    action: 'user.joined',
    accountId,
    projectId: null,
    targetType: 'user',
    targetId: userId,
    after: { id: userId, role, projectIds: null },
  });
}

/** For a setup link: makes a member an owner of the whole account. Returns false if they are no member. */
export async function raiseToOwner(
  unit: Unit,
  accountId: string,
  userId: string,
): Promise<boolean> {
  await lockMembers(unit.tx, accountId);
  const before = await findMembership(unit.tx, accountId, userId);
  if (!before) return false;
  if (ownsAll(before)) throw new KeywardError('already_member');
  const set = { role: 'owner' as const, project_ids: null, updated_at: unit.now };
  await updateMembership(unit.tx, before, set);
  recordChange(unit, 'user.role-updated', before, { ...before, ...set });
  return true;
}
