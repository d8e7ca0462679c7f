import type { Call, Written } from '../../../kernel/route.ts';
import { type AuthCalls, withCookies } from './auth-calls.ts';
import type { KnownBrowsers } from './known-browsers.ts';
import { demandPassword } from './password-rules.ts';
import type { ChangePassword } from './schema.ts';
import type { SecurityLog } from './security-log.ts';
import type { SignInLimits } from './sign-in-limits.ts';

type Asked = Pick<Call, 'headers' | 'actor'>;

/** A person's own password and second factor. */
export class OwnLogin {
  readonly #calls: AuthCalls;
  readonly #limits: SignInLimits;
  readonly #log: SecurityLog;
  readonly #browsers: KnownBrowsers;

  constructor(parts: {
    calls: AuthCalls;
    limits: SignInLimits;
    log: SecurityLog;
    browsers: KnownBrowsers;
  }) {
    this.#calls = parts.calls;
    this.#limits = parts.limits;
    this.#log = parts.log;
    this.#browsers = parts.browsers;
  }

  /** Ends every other session and forgets every other browser: they may belong to somebody who knew the old password. */
  async changePassword(call: Asked, input: ChangePassword): Promise<Written> {
    await this.#guard(call);
    demandPassword(input.newPassword, []);
    const { cookies } = await this.#calls.run(call, (auth, headers) =>
      auth.api.changePassword({
        body: { ...input, revokeOtherSessions: true },
        headers,
        returnHeaders: true,
      }),
    );
    await this.#browsers.forgetOthers(call.headers, call.actor.principal.id);
    await this.#log.note(call.actor, call.actor.principal.id, 'user.password-changed');
    return withCookies(true, cookies);
  }

  /** Only confirmed with a code it is on. */
  async beginTwoFactor(call: Asked, password: string): Promise<Written> {
    await this.#guard(call);
    const { response, cookies } = await this.#calls.run(call, (auth, headers) =>
      auth.api.enableTwoFactor({
        body: { password, method: 'totp' },
        headers,
        returnHeaders: true,
      }),
    );
    if (response.method !== 'totp') throw new Error('A second factor of another kind was begun.');
    const { totpURI: totpUri, backupCodes: recoveryCodes } = response;
    return withCookies({ totpUri, recoveryCodes }, cookies);
  }

  async confirmTwoFactor(call: Asked, code: string): Promise<Written> {
    await this.#guard(call);
    const { cookies } = await this.#calls.run(call, (auth, headers) =>
      auth.api.verifyTOTP({ body: { code }, headers, returnHeaders: true }),
    );
    await this.#log.note(call.actor, call.actor.principal.id, 'user.two-factor-enabled');
    return withCookies(true, cookies);
  }

  async endTwoFactor(call: Asked, password: string): Promise<Written> {
    await this.#guard(call);
    const { cookies } = await this.#calls.run(call, (auth, headers) =>
      auth.api.disableTwoFactor({ body: { password }, headers, returnHeaders: true }),
    );
    await this.#log.note(call.actor, call.actor.principal.id, 'user.two-factor-disabled');
    return withCookies(true, cookies);
  }

  async newRecoveryCodes(call: Asked, password: string): Promise<Written> {
    await this.#guard(call);
    const { response, cookies } = await this.#calls.run(call, (auth, headers) =>
      auth.api.generateBackupCodes({ body: { password }, headers, returnHeaders: true }),
    );
    await this.#log.note(call.actor, call.actor.principal.id, 'user.recovery-codes-renewed');
    return withCookies({ recoveryCodes: response.backupCodes }, cookies);
  }

  #guard({ actor }: Asked): Promise<void> {
    return this.#limits.ownPassword(actor.principal.id);
  }
}
