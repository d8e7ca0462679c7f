import { KeywardError } from '../../../kernel/errors.ts';
import type { RawResponse } from '../../../kernel/route.ts';
import { sha256 } from '../../../kernel/secrets/crypto.ts';
import type { Clock } from '../../../kernel/time/clock.ts';
import type { Storage } from '../../../storage/index.ts';
import type { ChangeRunner, Unit } from '../../changes/index.ts';
import type { Joining } from '../joining.ts';
import type { LoginCall } from '../login/better-auth/calls.ts';
import type { SignInLimits } from '../login/sign-in/limits.ts';
import { invitation, projectIdsOf, resourceOf, statusAt } from './rules.ts';
import type { AcceptInvitation } from './schema.ts';
import { type InvitationRow, invitationByToken } from './store.ts';

interface Parts {
  readonly storage: Storage;
  readonly changes: ChangeRunner;
  readonly joining: Joining;
  readonly limits: SignInLimits;
  readonly clock: Clock;
}

/** Accepts invitations. The token of the link is the only proof, and works once. */
export class AcceptanceService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async accept(
    call: LoginCall,
    id: string,
    { token, name, password }: AcceptInvitation,
  ): Promise<RawResponse | object> {
    await this.#parts.limits.countUnguessable('link', call.actor.clientAddress);
    const row = await invitationByToken(this.#parts.storage.point, id, sha256(token));
    if (!row) throw new KeywardError('link_invalid');
    if (statusAt(row, this.#parts.clock()) !== 'pending')
      throw new KeywardError('invitation_closed');
    const details = {
      email: row.email,
      ...(name !== undefined && { name }),
      ...(password !== undefined && { password }),
    };
    // A link that was mailed was shown to nobody else, so the address is verified.
    const emailVerified = row.email_status !== null;
    return this.#parts.joining.run(
      call,
      details,
      emailVerified,
      this.#parts.clock(),
      (actor, join) =>
        this.#parts.changes.run(actor, async (unit) => {
          const used = await useUp(unit, row, actor.principal.id);
          const { account_id: accountId, role } = used;
          await join(unit, { accountId, role, projectIds: projectIdsOf(used) });
        }),
    );
  }
}

/**
 * If the link is used twice at the same time, only one use finds the invitation pending. Returns the
 * invitation as it is now: its role may have been changed since `found` was read.
 */
async function useUp(unit: Unit, found: InvitationRow, userId: string): Promise<InvitationRow> {
  const change = { status: 'accepted' as const, accepted_by: userId, updated_at: unit.now };
  const row = (await unit.tx
    .updateTable('invitations')
    .set(change)
    .where('id', '=', found.id)
    .where('token_hash', '=', found.token_hash)
    .where('status', '=', 'pending')
    .where('expires_at', '>', unit.now)
    .returningAll()
    .executeTakeFirst()) as InvitationRow | undefined;
  if (row === undefined) throw new KeywardError('invitation_closed');
  const { updated_at } = found;
  unit.audit({
    action: 'invitation.accepted',
    ...resourceOf(row.account_id, projectIdsOf(row)),
    targetType: 'invitation',
    targetId: row.id,
    before: invitation({ ...row, status: 'pending', accepted_by: null, updated_at }, unit.now),
    after: invitation(row, unit.now),
  });
  return row;
}
