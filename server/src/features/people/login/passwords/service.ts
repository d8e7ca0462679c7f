import { KeywardError } from '../../../../kernel/errors.ts';
import type { RawResponse } from '../../../../kernel/route.ts';
import { sha256 } from '../../../../kernel/secrets/crypto.ts';
import type { Clock } from '../../../../kernel/time/clock.ts';
import type { Storage, Tx } from '../../../../storage/index.ts';
import { type AuthCalls, type LoginCall, withCookies } from '../better-auth/calls.ts';
import type { ChangePassword, ResetPassword } from '../schema.ts';
import type { SecurityLog } from '../security-log.ts';
import type { Sessions } from '../sessions/sessions.ts';
import {
  forgetBrowsers,
  forgetOtherBrowsers,
  type KnownBrowsers,
} from '../sign-in/known-browsers.ts';
import type { SignInLimits } from '../sign-in/limits.ts';
import { requirePassword } from './rules.ts';

/** better-auth stores the token of a link under this identifier, hashed. */
export const resetIdentifier = (token: string): string => `reset-password:${token}`;

/** The page for choosing a new password. Browsers do not send the fragment to the server. */
export const resetLink = (publicUrl: string, token: string): string =>
  `${publicUrl.replace(/\/+$/, '')}/dashboard/reset-password#token=${token}`;

interface Parts {
  readonly storage: Storage;
  readonly calls: AuthCalls;
  readonly limits: SignInLimits;
  readonly browsers: KnownBrowsers;
  readonly sessions: Sessions;
  readonly log: SecurityLog;
  readonly clock: Clock;
  readonly mailIsConfigured: boolean;
  readonly onError: (error: unknown) => void;
}

/** Changes passwords, and resets them with a link by mail. */
export class PasswordService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Ends every other session, sign-in in progress and reset link, and forgets every other browser: they may
   * belong to an attacker who knew the old password.
   */
  async changePassword(call: LoginCall, input: ChangePassword): Promise<RawResponse> {
    await this.#parts.limits.countOwnPassword(call.actor.principal.id);
    await this.#requirePassword(input.newPassword, call.actor.principal.id);
    const { cookies } = await this.#parts.calls.run(call, (auth, headers) =>
      auth.api.changePassword({
        body: { ...input, revokeOtherSessions: true },
        headers,
        returnHeaders: true,
      }),
    );
    const userId = call.actor.principal.id;
    await this.#parts.log.change(
      call.actor,
      userId,
      'user.password-changed',
      {},
      async ({ tx }) => {
        await deleteVerifications(tx, userId);
        await forgetOtherBrowsers(tx, call.headers, userId);
      },
    );
    return withCookies(true, cookies);
  }

  /**
   * Responds before the work is done, so that the response time does not reveal whether the person exists.
   * If two mails were sent in the last half hour, no other is sent: the latest link is still valid for at
   * least half an hour, unless the password has been set since.
   */
  async request(call: LoginCall, email: string): Promise<true> {
    if (!this.#parts.mailIsConfigured) throw new KeywardError('mail_unavailable');
    const address = email.trim().toLowerCase();
    await this.#parts.limits.countResetRequest(call.actor.clientAddress);
    if (!(await this.#parts.limits.countResetMail(address))) return true;
    const request = this.#parts.calls.run(call, (auth, headers) =>
      auth.api.requestPasswordReset({ body: { email: address }, headers, returnHeaders: true }),
    );
    request.catch((error: unknown) => {
      if (!(error instanceof KeywardError)) this.#parts.onError(error);
    });
    return true;
  }

  /**
   * Ends all sessions, sign-ins in progress and reset links of the person. Afterwards, this is their only
   * known browser.
   */
  async reset(call: LoginCall, { token, password }: ResetPassword): Promise<RawResponse> {
    await this.#parts.limits.countUnguessable('link', call.actor.clientAddress);
    const userId = await this.#personOf(token);
    await this.#requirePassword(password, userId);
    await this.#parts.calls.run(
      call,
      (auth, headers) =>
        auth.api.resetPassword({
          body: { token, newPassword: password },
          headers,
          returnHeaders: true,
        }),
      'link_invalid',
    );
    const principal = this.#parts.sessions.personal({ userId, sessionId: '' });
    const actor = { ...call.actor, principal };
    await this.#parts.log.change(actor, userId, 'user.password-reset', {}, async ({ tx }) => {
      await deleteVerifications(tx, userId);
      await forgetBrowsers(tx, userId);
    });
    return withCookies(true, await this.#parts.browsers.remember(call.headers, userId));
  }

  async #requirePassword(password: string, userId: string): Promise<void> {
    const { name, email } = await this.#parts.storage.point
      .selectFrom('users')
      .select(['name', 'email'])
      .where('id', '=', userId)
      .executeTakeFirstOrThrow();
    requirePassword(password, [name, email]);
  }

  async #personOf(token: string): Promise<string> {
    const row = await this.#parts.storage.point
      .selectFrom('verifications')
      .select('value')
      .where('identifier', '=', sha256(resetIdentifier(token)))
      .where('expires_at', '>', this.#parts.clock())
      .executeTakeFirst();
    if (!row) throw new KeywardError('link_invalid');
    return row.value;
  }
}

/**
 * Deletes the person's reset links, and their sign-ins that wait for a second factor. Identifiers are
 * hashed, so these rows are found by their value: only in these does better-auth store just the user id.
 */
const deleteVerifications = (tx: Tx, userId: string) =>
  tx.deleteFrom('verifications').where('value', '=', userId).execute();
