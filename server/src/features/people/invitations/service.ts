import type { Counters } from '../../../cluster/counters/counters.ts';
import type { Actor } from '../../../kernel/actor.ts';
import { type Principal, requireScope, type Scope, tenantOf } from '../../../kernel/authority.ts';
import { KeywardError } from '../../../kernel/errors.ts';
import type { MakeId } from '../../../kernel/ids.ts';
import { listing } from '../../../kernel/paging.ts';
import type { Listing } from '../../../kernel/route.ts';
import { randomToken, sha256 } from '../../../kernel/secrets/crypto.ts';
import { type Clock, systemClock } from '../../../kernel/time/clock.ts';
import type { Storage } from '../../../storage/index.ts';
import type { AuditEntry, ChangeRunner, Idempotency, Unit } from '../../changes/index.ts';
import { requireProject } from '../../projects/index.ts';
import { invitationMail } from '../mail/messages.ts';
import type { MailQueue } from '../mail/queue.ts';
import { countInvitationMails } from './mail-limit.ts';
import {
  INVITATION_LIFE_MS,
  invitation,
  invitationInfo,
  invitationLink,
  projectIdsOf,
  readEmails,
  requireInvite,
  requireRoleGrant,
  resourceOf,
  statusAt,
} from './rules.ts';
import type {
  CreatedInvitation,
  CreateInvitations,
  Invitation,
  InvitationInfo,
  ListInvitations,
  UpdateInvitation,
} from './schema.ts';
import {
  findInfo,
  findInvitation,
  type InvitationRow,
  insertInvitations,
  listInvitations,
  pendingFor,
  updateInvitation,
} from './store.ts';

interface Parts {
  readonly storage: Storage;
  readonly changes: ChangeRunner;
  readonly ids: MakeId;
  readonly publicUrl: () => string;
  readonly mails: MailQueue;
  readonly counters: Counters;
  readonly clock?: Clock;
}

/**
 * An invitation goes from pending to cancelled (by a member, or by a newer invitation to the same
 * address), to accepted (by the invited person), or to expired (by time). An expired one can
 * still be cancelled, and a new link makes it pending again.
 */
export class InvitationService {
  readonly #parts: Parts;
  readonly #clock: Clock;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#clock = parts.clock ?? systemClock;
  }

  async create(
    actor: Actor,
    input: CreateInvitations,
    idempotency?: Idempotency,
  ): Promise<CreatedInvitation[]> {
    const tenant = tenantOf(actor.principal);
    const accountId = input.accountId ?? tenant.accountId;
    const projectIds = input.projectIds ? [...new Set(input.projectIds)] : null;
    requireInvite(actor.principal, accountId, projectIds);
    requireRoleGrant(actor.principal, input.role);
    const emails = readEmails(input.emails);
    await this.#requireProjects(accountId, projectIds);
    if (this.#parts.mails.isConfigured) await this.#countMails(accountId, emails.length);
    const make = async (unit: Unit): Promise<CreatedInvitation[]> => {
      await this.#parts.storage.lock(unit.tx, `invitations of ${accountId}`);
      await this.#cancelAll(unit, await pendingFor(unit.tx, tenant, emails, unit.now));
      const made = emails.map((email) => {
        const { token, email_status } = this.#newToken();
        const id = this.#parts.ids('inv');
        const row: InvitationRow = {
          id,
          account_id: accountId,
          email,
          role: input.role,
          project_ids: projectIds && JSON.stringify(projectIds),
          status: 'pending',
          invited_by: actor.principal.id,
          token_hash: sha256(token),
          created_at: unit.now,
          updated_at: unit.now,
          expires_at: unit.now + INVITATION_LIFE_MS,
          accepted_by: null,
          email_status,
        };
        return { row, token };
      });
      await insertInvitations(
        unit.tx,
        made.map(({ row }) => row),
      );
      for (const { row } of made) recordChange(unit, 'invitation.created', null, row);
      const sent: CreatedInvitation[] = [];
      for (const { row, token } of made) sent.push(await this.#deliver(unit, row, token));
      return sent;
    };
    const created = await this.#parts.changes.run(actor, make, idempotency);
    this.#parts.mails.wake();
    return created;
  }

  /** Replaces the link; the old one stops working, and the time to accept starts again. */
  async resend(actor: Actor, id: string, by: 'mail' | 'link'): Promise<CreatedInvitation> {
    const found = await this.#find(actor.principal, 'invitations:write', id);
    if (by === 'mail' && !this.#parts.mails.isConfigured)
      throw new KeywardError('mail_unavailable');
    if (by === 'mail') await this.#countMails(found.account_id, 1);
    const resent = await this.#parts.changes.run(actor, async (unit) => {
      const before = await this.#readAgain(unit, actor.principal, id);
      // The person who opens the link gets the role, so the caller must be able to grant it.
      requireRoleGrant(actor.principal, before.role);
      if (before.status !== 'pending') throw new KeywardError('invitation_closed');
      const { token, email_status } = this.#newToken(by);
      const change = {
        token_hash: sha256(token),
        expires_at: unit.now + INVITATION_LIFE_MS,
        updated_at: unit.now,
        email_status,
      };
      await updateInvitation(unit.tx, id, change);
      await this.#parts.mails.drop(unit.tx, id);
      const after = { ...before, ...change };
      recordChange(unit, 'invitation.resent', before, after);
      return this.#deliver(unit, after, token);
    });
    this.#parts.mails.wake();
    return resent;
  }

  /** How an invitation is sent by default. */
  get defaultTransport(): 'mail' | 'link' {
    return this.#parts.mails.isConfigured ? 'mail' : 'link';
  }

  #newToken(by = this.defaultTransport) {
    const email_status = by === 'mail' ? ('queued' as const) : null;
    return { token: randomToken(), email_status };
  }

  #countMails(accountId: string, mails: number): Promise<void> {
    return countInvitationMails(this.#parts.counters, accountId, mails, this.#clock());
  }

  /** The link is either mailed or returned to the inviter, never both. */
  async #deliver(unit: Unit, row: InvitationRow, token: string): Promise<CreatedInvitation> {
    const link = invitationLink(this.#parts.publicUrl(), row.id, token);
    if (row.email_status !== null) {
      const info = (await findInfo(unit.tx, row.id))!;
      const { accountName, inviter } = invitationInfo(info, unit.now);
      const mail = invitationMail({ to: row.email, accountName, inviter, role: row.role, link });
      await this.#parts.mails.put(unit.tx, mail, unit.now, row.id);
    }
    return { ...invitation(row, unit.now), link: row.email_status === null ? link : null };
  }

  async get(principal: Principal, id: string): Promise<Invitation> {
    return invitation(await this.#find(principal, 'invitations:read', id), this.#clock());
  }

  /** Public, so it shows only what the invited person needs to decide. */
  async info(id: string): Promise<InvitationInfo> {
    const row = await findInfo(this.#parts.storage.point, id);
    if (!row) throw new KeywardError('invitation_not_found');
    return invitationInfo(row, this.#clock());
  }

  async list(principal: Principal, filter: ListInvitations): Promise<Listing<Invitation>> {
    const tenant = tenantOf(principal);
    const accountId = filter.accountId ?? tenant.accountId;
    requireScope(
      principal,
      'invitations:read',
      { accountId, projectId: tenant.projectIds?.[0] ?? null },
      'account_not_found',
    );
    const now = this.#clock();
    const { storage } = this.#parts;
    return listing(
      filter,
      'inv',
      (range) => listInvitations(storage, tenant, filter, now, range),
      (row) => invitation(row, now),
    );
  }

  async update(actor: Actor, id: string, input: UpdateInvitation): Promise<Invitation> {
    await this.#find(actor.principal, 'invitations:write', id);
    requireRoleGrant(actor.principal, input.role);
    return this.#parts.changes.run(actor, async (unit) => {
      const before = await this.#readAgain(unit, actor.principal, id);
      if (statusAt(before, unit.now) !== 'pending') throw new KeywardError('invitation_closed');
      if (before.role === input.role) return invitation(before, unit.now);
      const change = { role: input.role, updated_at: unit.now };
      await updateInvitation(unit.tx, id, change);
      const after = { ...before, ...change };
      recordChange(unit, 'invitation.updated', before, after);
      return invitation(after, unit.now);
    });
  }

  async cancel(actor: Actor, id: string): Promise<void> {
    await this.#find(actor.principal, 'invitations:write', id);
    await this.#parts.changes.onFullDisk.run(actor, async (unit) => {
      const before = await this.#readAgain(unit, actor.principal, id);
      // The person is already a member, and cancelling would not remove them.
      if (before.status === 'accepted') throw new KeywardError('invitation_closed');
      if (before.status === 'pending') await this.#cancelAll(unit, [before]);
    });
  }

  async #cancelAll(unit: Unit, rows: readonly InvitationRow[]): Promise<void> {
    for (const row of rows) {
      const email_status = row.email_status === 'queued' ? null : row.email_status;
      const change = { status: 'cancelled' as const, updated_at: unit.now, email_status };
      await updateInvitation(unit.tx, row.id, change);
      await this.#parts.mails.drop(unit.tx, row.id);
      recordChange(unit, 'invitation.deleted', row, { ...row, ...change });
    }
  }

  async #requireProjects(accountId: string, projectIds: readonly string[] | null): Promise<void> {
    for (const projectId of projectIds ?? [])
      await requireProject(this.#parts.storage.point, accountId, projectId);
  }

  async #find(principal: Principal, action: Scope, id: string): Promise<InvitationRow> {
    const row = await findInvitation(this.#parts.storage.point, tenantOf(principal), id);
    if (!row) throw new KeywardError('invitation_not_found');
    // The query finds only invitations whose projects the caller has, so the first project stands for all.
    const projectId = projectIdsOf(row)?.[0] ?? null;
    const resource = { accountId: row.account_id, projectId };
    requireScope(principal, action, resource, 'invitation_not_found');
    return row;
  }

  /** Reads the row in the transaction: it may have changed since it was found. */
  async #readAgain(unit: Unit, principal: Principal, id: string): Promise<InvitationRow> {
    const row = await findInvitation(unit.tx, tenantOf(principal), id);
    if (!row) throw new KeywardError('invitation_not_found');
    return row;
  }
}

function recordChange(
  unit: Unit,
  action: AuditEntry['action'],
  before: InvitationRow | null,
  after: InvitationRow,
): void {
  unit.audit({
    action,
    ...resourceOf(after.account_id, projectIdsOf(after)),
    targetType: 'invitation',
    targetId: after.id,
    before: before && invitation(before, unit.now),
    after: invitation(after, unit.now),
  });
}
