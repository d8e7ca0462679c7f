import type { RawResponse } from '../../../../kernel/route.ts';
import { type AuthCalls, type LoginCall, withCookies } from '../better-auth/calls.ts';
import type { SecurityLog } from '../security-log.ts';
import type { SignInLimits } from '../sign-in/limits.ts';

interface Parts {
  readonly calls: AuthCalls;
  readonly limits: SignInLimits;
  readonly log: SecurityLog;
}

/** A person's own second factor. */
export class TwoFactorService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Two-factor authentication is on only after `confirmTwoFactor`. */
  async beginTwoFactor(call: LoginCall, password: string): Promise<RawResponse> {
    await this.#countAttempt(call);
    const { response, cookies } = await this.#parts.calls.run(call, (auth, headers) =>
      auth.api.enableTwoFactor({
        body: { password, method: 'totp' },
        headers,
        returnHeaders: true,
      }),
    );
    if (response.method !== 'totp')
      throw new Error('better-auth returned an unexpected second factor.');
    const { totpURI: totpUri, backupCodes: recoveryCodes } = response;
    return withCookies({ totpUri, recoveryCodes }, cookies);
  }

  async confirmTwoFactor(call: LoginCall, code: string): Promise<RawResponse> {
    await this.#countAttempt(call);
    const { cookies } = await this.#parts.calls.run(call, (auth, headers) =>
      auth.api.verifyTOTP({ body: { code }, headers, returnHeaders: true }),
    );
    const userId = call.actor.principal.id;
    // Otherwise the same code could also be used to sign in.
    await this.#parts.limits.useCode(userId, code);
    await this.#parts.log.record(call.actor, userId, 'user.two-factor-enabled');
    return withCookies(true, cookies);
  }

  async endTwoFactor(call: LoginCall, password: string): Promise<RawResponse> {
    await this.#countAttempt(call);
    const { cookies } = await this.#parts.calls.run(call, (auth, headers) =>
      auth.api.disableTwoFactor({ body: { password }, headers, returnHeaders: true }),
    );
    await this.#parts.log.record(call.actor, call.actor.principal.id, 'user.two-factor-disabled');
    return withCookies(true, cookies);
  }

  async newRecoveryCodes(call: LoginCall, password: string): Promise<RawResponse> {
    await this.#countAttempt(call);
    const { response, cookies } = await this.#parts.calls.run(call, (auth, headers) =>
      auth.api.generateBackupCodes({ body: { password }, headers, returnHeaders: true }),
    );
    await this.#parts.log.record(
      call.actor,
      call.actor.principal.id,
      'user.recovery-codes-renewed',
    );
    return withCookies({ recoveryCodes: response.backupCodes }, cookies);
  }

  #countAttempt({ actor }: LoginCall): Promise<void> {
    return this.#parts.limits.countOwnPassword(actor.principal.id);
  }
}
