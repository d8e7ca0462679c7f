import { isIP } from 'node:net';
import type { Actor } from '../../../../kernel/actor.ts';
import { KeywardError } from '../../../../kernel/errors.ts';
import type { RawResponse } from '../../../../kernel/route.ts';
import { sha256 } from '../../../../kernel/secrets/crypto.ts';
import type { Clock } from '../../../../kernel/time/clock.ts';
import type { Storage } from '../../../../storage/index.ts';
import {
  type AuthCalls,
  type AuthResult,
  type LoginCall,
  type PasskeyAssertion,
  withCookies,
} from '../better-auth/calls.ts';
import {
  COOKIE_PREFIX,
  type CookieHeaders,
  cookieIn,
  SESSION_COOKIE,
  sessionTokenIn,
} from '../cookies.ts';
import { type LoginProviders, providersOf } from '../providers/settings.ts';
import type { SignInMethods, SignInPassword } from '../schema.ts';
import type { SecurityLog } from '../security-log.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { KnownBrowsers } from './known-browsers.ts';
import type { SignInLimits } from './limits.ts';
import { RequestQueue } from './request-queue.ts';

/** The result of every sign-in. */
interface NewSession {
  readonly token: string;
  readonly user: { readonly id: string };
}

const CHALLENGE_COOKIE = `${COOKIE_PREFIX}.two_factor`;

export const SIGNED_IN = { status: 'signed-in' } as const;
const SECOND_FACTOR = { status: 'second-factor-required' } as const;

interface Parts {
  readonly storage: Storage;
  readonly calls: AuthCalls;
  /** For calls that change nothing unless the person proves who they are. */
  readonly proofCalls: AuthCalls;
  readonly limits: SignInLimits;
  readonly browsers: KnownBrowsers;
  readonly sessions: Sessions;
  readonly log: SecurityLog;
  readonly providers: LoginProviders;
  readonly mailIsConfigured: boolean;
  readonly publicUrl: () => string;
  readonly clock: Clock;
}

/** Signs people in: with a password and perhaps a second factor, or with a passkey. */
export class SignInService {
  readonly #parts: Parts;
  /** Two at a time: the password of one is hashed while the person of the next is looked up. */
  readonly #queue = new RequestQueue({ concurrentMax: 2, waitingMax: 200 });

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async methods(): Promise<SignInMethods> {
    const person = await this.#parts.storage.point
      .selectFrom('users')
      .select('id')
      .executeTakeFirst();
    return {
      password: true,
      passkey: mayHavePasskeys(new URL(this.#parts.publicUrl()).hostname),
      providers: providersOf(this.#parts.providers),
      resetByMail: this.#parts.mailIsConfigured,
      needsSetup: person === undefined,
    };
  }

  async withPassword(call: LoginCall, input: SignInPassword): Promise<RawResponse> {
    const email = input.email.trim().toLowerCase();
    const browser = await this.#parts.browsers.find(call.headers, { email });
    await this.#parts.limits.countPassword({ address: call.actor.clientAddress, browser }, email);
    const signInEmail = () =>
      this.#parts.proofCalls.run(call, (auth, headers) =>
        auth.api.signInEmail({
          body: { email, password: input.password, rememberMe: input.rememberMe ?? true },
          headers,
          returnHeaders: true,
        }),
      );
    const { isGone } = call;
    const result = await this.#queue.run(signInEmail, { isGone, isFirst: browser !== null });
    // Typed as a session, but better-auth returns a challenge if the person has a second factor.
    if ('twoFactorRedirect' in result.response) return withCookies(SECOND_FACTOR, result.cookies);
    return this.#completeSignIn(call, result, 'password');
  }

  async withTotp(call: LoginCall, code: string): Promise<RawResponse> {
    const { caller, userId } = await this.#challenged(call);
    await this.#parts.limits.countCode(caller, userId);
    const result = await this.#parts.proofCalls.run(call, (auth, headers) =>
      auth.api.verifyTOTP({ body: { code }, headers, returnHeaders: true }),
    );
    if (!(await this.#parts.limits.useCode(result.response.user.id, code))) {
      await this.#endSession(result.response.token);
      throw new KeywardError('second_factor_failed');
    }
    return this.#completeSignIn(call, result, 'totp');
  }

  async withRecoveryCode(call: LoginCall, code: string): Promise<RawResponse> {
    const { caller, userId } = await this.#challenged(call);
    await this.#parts.limits.countRecoveryCode(caller, userId);
    const result = await this.#parts.proofCalls.run(call, (auth, headers) =>
      auth.api.verifyBackupCode({ body: { code }, headers, returnHeaders: true }),
    );
    const { token, user } = result.response;
    return this.#completeSignIn(
      call,
      { ...result, response: { token: token!, user } },
      'recovery-code',
    );
  }

  async passkeyOptions(call: LoginCall): Promise<RawResponse> {
    await this.#parts.limits.countUnguessable('passkey', call.actor.clientAddress);
    const { response, cookies } = await this.#parts.calls.run(call, (auth, headers) =>
      auth.api.generatePasskeyAuthenticationOptions({ headers, returnHeaders: true }),
    );
    // better-auth sets `preferred`, but `withPasskey` rejects a passkey without this check.
    return withCookies({ ...response, userVerification: 'required' }, cookies);
  }

  async withPasskey(call: LoginCall, response: PasskeyAssertion): Promise<RawResponse> {
    await this.#parts.limits.countUnguessable('passkey', call.actor.clientAddress);
    const result = await this.#parts.proofCalls.run(
      call,
      (auth, headers) =>
        auth.api.verifyPasskeyAuthentication({ body: { response }, headers, returnHeaders: true }),
      'passkey_failed',
    );
    const { session } = result.response;
    const newSession = { token: session.token, user: { id: session.userId } };
    return this.#completeSignIn(call, { ...result, response: newSession }, 'passkey');
  }

  /** For a person who has just set their password. */
  async afterJoining(call: LoginCall, email: string, password: string): Promise<RawResponse> {
    const result = await this.#parts.calls.run(call, (auth, headers) =>
      auth.api.signInEmail({ body: { email, password }, headers, returnHeaders: true }),
    );
    return this.#completeSignIn(call, result, 'password');
  }

  /** Ends the session and writes the audit row in one transaction; better-auth only clears the cookies. */
  async signOut(call: LoginCall): Promise<RawResponse> {
    const person = await this.#parts.sessions.signedIn(call.headers, this.#parts.clock());
    if (person !== null) {
      const actor = { ...call.actor, principal: this.#parts.sessions.personal(person) };
      const { userId, sessionId } = person;
      await this.#parts.log.change(actor, userId, 'user.session-ended', { sessionId }, ({ tx }) =>
        tx.deleteFrom('sessions').where('id', '=', sessionId).execute(),
      );
    }
    const { cookies } = await this.#parts.calls.run(call, (auth, headers) =>
      auth.api.signOut({ headers, returnHeaders: true }),
    );
    return withCookies(true, cookies);
  }

  /** Records a sign-in whose session better-auth has started itself. Returns additional cookies. */
  async recordProviderSignIn(
    call: LoginCall,
    cookies: readonly string[],
    method: string,
  ): Promise<string[]> {
    const cookie = cookies.find((line) => line.startsWith(SESSION_COOKIE))?.split(';', 1)[0];
    if (cookie === undefined) return [];
    const person = await this.#parts.sessions.signedIn({ cookie }, this.#parts.clock());
    return person === null ? [] : this.#recordSignIn(call, person.userId, method);
  }

  /** Ends the previous session of the browser, against session fixation, and records the sign-in. */
  async #completeSignIn(
    call: LoginCall,
    result: AuthResult<NewSession>,
    method: string,
  ): Promise<RawResponse> {
    const before = sessionTokenIn(call.headers);
    if (before !== null && before !== result.response.token) await this.#endSession(before);
    const added = await this.#recordSignIn(call, result.response.user.id, method);
    return withCookies(SIGNED_IN, [...result.cookies, ...added]);
  }

  /** Writes the audit log and the time of the sign-in, and remembers the browser. */
  async #recordSignIn(call: LoginCall, userId: string, method: string): Promise<string[]> {
    const principal = this.#parts.sessions.personal({ userId, sessionId: '' });
    const actor: Actor = { ...call.actor, principal };
    await this.#parts.log.change(actor, userId, 'user.signed-in', { method }, ({ tx, now }) =>
      tx.updateTable('users').set({ last_sign_in_at: now }).where('id', '=', userId).execute(),
    );
    return this.#parts.browsers.remember(call.headers, userId);
  }

  /** The person who must enter a second factor, and whether their browser is known. */
  async #challenged({ headers, actor }: LoginCall) {
    const userId = await personChallenged(this.#parts.storage, headers, this.#parts.clock());
    // Attempts are counted per person. If the person is unknown, codes could be guessed without limit.
    if (userId === null) throw new KeywardError('second_factor_expired');
    const browser = await this.#parts.browsers.find(headers, { userId });
    return { userId, caller: { address: actor.clientAddress, browser } };
  }

  async #endSession(token: string): Promise<void> {
    await this.#parts.storage.transaction((tx) =>
      tx.deleteFrom('sessions').where('token', '=', sha256(token)).execute(),
    );
  }
}

/** WebAuthn requires a host name; loopback is also reachable as localhost. */
const mayHavePasskeys = (hostname: string): boolean =>
  hostname === '127.0.0.1' || hostname === '[::1]' || isIP(hostname.replace(/^\[|]$/g, '')) === 0;

/** The person who has entered the right password in this browser and must enter a second factor. */
async function personChallenged(
  storage: Storage,
  headers: CookieHeaders,
  now: number,
): Promise<string | null> {
  const cookie = cookieIn(headers, CHALLENGE_COOKIE);
  if (cookie === null) return null;
  // The part after the last dot is better-auth's signature.
  const identifier = cookie.slice(0, Math.max(0, cookie.lastIndexOf('.')));
  const row = await storage.point
    .selectFrom('verifications')
    .select('value')
    .where('identifier', '=', sha256(identifier))
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row?.value ?? null;
}
