import type { Clock } from '../../../kernel/clock.ts';
import { sha256 } from '../../../kernel/crypto.ts';
import { KeywardError } from '../../../kernel/errors.ts';
import type { Call, Written } from '../../../kernel/route.ts';
import type { Storage } from '../../../storage/index.ts';
import { type AuthCalls, withCookies } from './auth-calls.ts';
import { forgetBrowsers, type KnownBrowsers } from './known-browsers.ts';
import { demandPassword } from './password-rules.ts';
import type { ResetPassword } from './schema.ts';
import type { SecurityLog } from './security-log.ts';
import type { Sessions } from './sessions.ts';
import type { SignInLimits } from './sign-in-limits.ts';

type Asked = Pick<Call, 'headers' | 'actor'>;

/** Under what better-auth keeps the token of a link, hashed. */
export const resetIdentifier = (token: string): string => `reset-password:${token}`;

/** Where a person chooses the new one. The fragment stays in the browser. */
export const resetLink = (publicUrl: string, token: string): string =>
  `${publicUrl.replace(/\/+$/, '')}/dashboard/reset-password#token=${token}`;

/** A forgotten password: a link by mail, and what it does. */
export class PasswordResets {
  readonly #storage: Storage;
  readonly #calls: AuthCalls;
  readonly #limits: SignInLimits;
  readonly #browsers: KnownBrowsers;
  readonly #sessions: Sessions;
  readonly #log: SecurityLog;
  readonly #clock: Clock;
  readonly #mailIsSet: boolean;
  readonly #onError: (error: unknown) => void;

  constructor(parts: {
    storage: Storage;
    calls: AuthCalls;
    limits: SignInLimits;
    browsers: KnownBrowsers;
    sessions: Sessions;
    log: SecurityLog;
    clock: Clock;
    mailIsSet: boolean;
    onError: (error: unknown) => void;
  }) {
    this.#storage = parts.storage;
    this.#calls = parts.calls;
    this.#limits = parts.limits;
    this.#browsers = parts.browsers;
    this.#sessions = parts.sessions;
    this.#log = parts.log;
    this.#clock = parts.clock;
    this.#mailIsSet = parts.mailIsSet;
    this.#onError = parts.onError;
  }

  /**
   * The answer does not wait for the work, so that its time tells nothing either. Where a mail went
   * out a moment ago it says the same: that link still works.
   */
  async request(call: Asked, email: string): Promise<true> {
    if (!this.#mailIsSet) throw new KeywardError('mail_unavailable');
    const address = email.trim().toLowerCase();
    await this.#limits.resetRequest(call.actor.clientAddress);
    if (!(await this.#limits.mayMailReset(address))) return true;
    const asked = this.#calls.run(call, (auth, headers) =>
      auth.api.requestPasswordReset({ body: { email: address }, headers, returnHeaders: true }),
    );
    asked.catch((error: unknown) => {
      if (!(error instanceof KeywardError)) this.#onError(error);
    });
    return true;
  }

  /** From now on the person is known in this browser, and in no other. */
  async reset(call: Asked, { token, password }: ResetPassword): Promise<Written> {
    await this.#limits.unguessable('link', call.actor.clientAddress);
    const userId = await this.#personOf(token);
    demandPassword(password, []);
    await this.#calls.run(
      call,
      (auth, headers) =>
        auth.api.resetPassword({
          body: { token, newPassword: password },
          headers,
          returnHeaders: true,
        }),
      'link_invalid',
    );
    const principal = this.#sessions.personal({ userId, sessionId: '' });
    await this.#log.note({ ...call.actor, principal }, userId, 'user.password-reset');
    await this.#storage.transaction((tx) => forgetBrowsers(tx, userId));
    return withCookies(true, await this.#browsers.remember(call.headers, userId));
  }

  async #personOf(token: string): Promise<string> {
    const row = await this.#storage.point
      .selectFrom('verifications')
      .select('value')
      .where('identifier', '=', sha256(resetIdentifier(token)))
      .where('expires_at', '>', this.#clock())
      .executeTakeFirst();
    if (!row) throw new KeywardError('link_invalid');
    return row.value;
  }
}
