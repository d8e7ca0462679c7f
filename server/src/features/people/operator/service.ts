import type { Actor } from '../../../kernel/actor.ts';
import { KeywardError } from '../../../kernel/errors.ts';
import { randomToken, sha256 } from '../../../kernel/secrets/crypto.ts';
import { type Clock, isoTime } from '../../../kernel/time/clock.ts';
import type { Storage } from '../../../storage/index.ts';
import type { ChangeRunner, Unit } from '../../changes/index.ts';
import type { AuthCalls, LoginCall } from '../login/better-auth/calls.ts';
import { resetIdentifier, resetLink } from '../login/passwords/service.ts';
import type { SecurityLog } from '../login/security-log.ts';
import { forgetBrowsers } from '../login/sign-in/known-browsers.ts';
import { setupLink } from '../setup/service.ts';
import type { OneTimeLink } from './schema.ts';

const OWNER_LINK_MS = 7 * 86_400_000;
const PASSWORD_LINK_MS = 86_400_000;

interface Parts {
  readonly storage: Storage;
  readonly changes: ChangeRunner;
  readonly calls: AuthCalls;
  readonly log: SecurityLog;
  readonly clock: Clock;
  readonly publicUrl: () => string;
}

/** Lets the operator help people who have locked themselves out. */
export class OperatorService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Unused earlier links of the account stop working. */
  async ownerLink(actor: Actor, accountId: string): Promise<OneTimeLink> {
    requireOperator(actor);
    const token = randomToken();
    const expires_at = this.#parts.clock() + OWNER_LINK_MS;
    await this.#parts.changes.run(actor, async (unit) => {
      const account = await unit.tx
        .selectFrom('accounts')
        .select(['id', 'name'])
        .where('id', '=', accountId)
        .executeTakeFirst();
      if (!account) throw new KeywardError('account_not_found');
      await unit.tx
        .deleteFrom('setup_links')
        .where('account_id', '=', accountId)
        .where('used_at', 'is', null)
        .execute();
      await unit.tx
        .insertInto('setup_links')
        .values({
          token_hash: sha256(token),
          account_id: accountId,
          expires_at,
          used_at: null,
          created_at: unit.now,
        })
        .execute();
      unit.audit({
        action: 'account.owner-link-made',
        accountId,
        projectId: null,
        targetType: 'account',
        targetId: accountId,
        after: account,
      });
    });
    return { link: setupLink(this.#parts.publicUrl(), token), expiresAt: isoTime(expires_at) };
  }

  async passwordLink(call: LoginCall, person: string): Promise<OneTimeLink> {
    requireOperator(call.actor);
    const userId = await this.#find(person);
    const token = randomToken();
    const expiresAt = new Date(this.#parts.clock() + PASSWORD_LINK_MS);
    const { internalAdapter } = await (await this.#parts.calls.auth(call)).$context;
    await internalAdapter.createVerificationValue({
      identifier: resetIdentifier(token),
      value: userId,
      expiresAt,
    });
    await this.#parts.log.record(call.actor, userId, 'user.password-link-made');
    const link = resetLink(this.#parts.publicUrl(), token);
    return { link, expiresAt: expiresAt.toISOString() };
  }

  async dropSecondFactor(actor: Actor, person: string): Promise<void> {
    requireOperator(actor);
    const userId = await this.#find(person);
    const drop = async ({ tx, now }: Unit) => {
      await tx.deleteFrom('two_factors').where('user_id', '=', userId).execute();
      await tx.deleteFrom('sessions').where('user_id', '=', userId).execute();
      await forgetBrowsers(tx, userId);
      const off = { two_factor_enabled: 0 as const, updated_at: now };
      await tx.updateTable('users').set(off).where('id', '=', userId).execute();
    };
    await this.#parts.log.change(actor, userId, 'user.two-factor-dropped', {}, drop);
  }

  async #find(person: string): Promise<string> {
    const row = await this.#parts.storage.point
      .selectFrom('users')
      .select('id')
      .where(person.includes('@') ? 'email' : 'id', '=', person.toLowerCase())
      .executeTakeFirst();
    if (!row) throw new KeywardError('user_not_found', 'There is no such user.');
    return row.id;
  }
}

function requireOperator({ principal }: Actor): void {
  if (principal.kind !== 'operator') throw new KeywardError('operator_only');
}
