import type { UserPrincipal } from '../../../../kernel/authority.ts';
import { KeywardError } from '../../../../kernel/errors.ts';
import type { RawResponse } from '../../../../kernel/route.ts';
import { sha256 } from '../../../../kernel/secrets/crypto.ts';
import { type Clock, isoTime } from '../../../../kernel/time/clock.ts';
import type { Storage } from '../../../../storage/index.ts';
import {
  type AuthCalls,
  type LoginCall,
  type PasskeyAssertion,
  withCookies,
} from '../better-auth/calls.ts';
import { SESSION_COOKIE } from '../cookies.ts';
import type { ConfirmIdentity } from '../schema.ts';
import type { SignInLimits } from '../sign-in/limits.ts';

const CONFIRMED_MS = 5 * 60_000;

interface Parts {
  readonly storage: Storage;
  readonly calls: AuthCalls;
  readonly limits: SignInLimits;
  readonly clock: Clock;
}

/**
 * A stolen session must not be enough to add a passkey or a linked login. Such changes need a recent
 * confirmation: a sign-in in the last five minutes, or the password or a passkey once more. See docs/decisions/0025-sign-in.md.
 */
export class Confirmation {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Throws if the last proof is older than five minutes. */
  async requireRecent({ id, sessionId }: UserPrincipal): Promise<void> {
    const session = await this.#parts.storage.point
      .selectFrom('sessions')
      .select(['created_at', 'confirmed_at'])
      .where('id', '=', sessionId)
      .where('user_id', '=', id)
      .executeTakeFirst();
    if (session === undefined) throw new KeywardError('session_invalid');
    const provedAt = Math.max(session.created_at, session.confirmed_at ?? 0);
    if (this.#parts.clock() - provedAt >= CONFIRMED_MS)
      throw new KeywardError('confirmation_required');
  }

  async confirm(
    call: LoginCall,
    person: UserPrincipal,
    proof: ConfirmIdentity,
  ): Promise<RawResponse> {
    if ((proof.password === undefined) === (proof.response === undefined))
      throw new KeywardError('invalid_body', 'Send either password or response.');
    const cookies =
      proof.password !== undefined
        ? await this.#byPassword(call, person, proof.password)
        : await this.#byPasskey(call, person, proof.response as PasskeyAssertion);
    const now = this.#parts.clock();
    await this.#parts.storage.transaction((tx) =>
      tx
        .updateTable('sessions')
        .set({ confirmed_at: now })
        .where('id', '=', person.sessionId)
        .execute(),
    );
    return withCookies({ confirmedUntil: isoTime(now + CONFIRMED_MS) }, cookies);
  }

  async #byPassword(call: LoginCall, { id }: UserPrincipal, password: string) {
    await this.#parts.limits.countOwnPassword(id);
    const { cookies } = await this.#parts.calls.run(call, (auth, headers) =>
      auth.api.verifyPassword({ body: { password }, headers, returnHeaders: true }),
    );
    return cookies;
  }

  /** To better-auth this is a sign-in; the new session is ended immediately. */
  async #byPasskey(call: LoginCall, { id }: UserPrincipal, response: PasskeyAssertion) {
    await this.#parts.limits.countUnguessable('passkey', call.actor.clientAddress);
    const result = await this.#parts.calls.run(
      call,
      (auth, headers) =>
        auth.api.verifyPasskeyAuthentication({ body: { response }, headers, returnHeaders: true }),
      'passkey_failed',
    );
    const { token, userId } = result.response.session;
    await this.#parts.storage.transaction((tx) =>
      tx.deleteFrom('sessions').where('token', '=', sha256(token)).execute(),
    );
    if (userId !== id)
      throw new KeywardError('passkey_failed', 'This passkey belongs to another user.');
    return withoutSession(result.cookies);
  }
}

/** Flat, as headers are: name, value, name, value. */
const withoutSession = (cookies: readonly string[]): string[] =>
  cookies
    .filter((text) => text !== 'set-cookie' && !text.startsWith(`${SESSION_COOKIE}=`))
    .flatMap((line) => ['set-cookie', line]);
