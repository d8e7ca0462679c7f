import type { Calls } from '../http/calls.ts';
import type { BodyOf } from '../http/operation.ts';
import type { CallOptions } from '../http/options.ts';

/** The signed-in user. Requires a session; access keys do not belong to a user. */
export class Me {
  readonly #calls: Calls;
  readonly sessions: Sessions;
  readonly passkeys: Passkeys;
  readonly twoFactor: TwoFactor;

  constructor(calls: Calls) {
    this.#calls = calls;
    this.sessions = new Sessions(calls);
    this.passkeys = new Passkeys(calls);
    this.twoFactor = new TwoFactor(calls);
  }

  /** The signed-in user and their accounts. */
  get(options?: CallOptions) {
    return this.#calls.call('getMe', {}, options);
  }

  update(body: BodyOf<'updateMe'>, options?: CallOptions) {
    return this.#calls.call('updateMe', { body }, options);
  }

  changePassword(body: BodyOf<'changePassword'>, options?: CallOptions) {
    return this.#calls.call('changePassword', { body }, options);
  }

  /** Returns the URL to which the browser must go to link another sign-in method. */
  linkProvider(body: BodyOf<'linkProvider'>, options?: CallOptions) {
    return this.#calls.call('linkProvider', { body }, options);
  }

  linkedProviders(options?: CallOptions) {
    return this.#calls.call('listLinkedProviders', {}, options);
  }

  unlinkProvider(id: string, options?: CallOptions) {
    return this.#calls.call('unlinkProvider', { path: { id } }, options);
  }

  /**
   * Confirms the user's identity with the password or a passkey. Required before a sign-in method is
   * added or removed if the sign-in is older than five minutes.
   */
  confirm(body: BodyOf<'confirmIdentity'>, options?: CallOptions) {
    return this.#calls.call('confirmIdentity', { body }, options);
  }

  leaveAccount(id: string, options?: CallOptions) {
    return this.#calls.call('leaveAccount', { path: { id } }, options);
  }

  signOut(options?: CallOptions) {
    return this.#calls.call('signOut', {}, options);
  }
}

/** The user's sessions. */
class Sessions {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  list(options?: CallOptions) {
    return this.#calls.call('listSessions', {}, options);
  }

  end(id: string, options?: CallOptions) {
    return this.#calls.call('endSession', { path: { id } }, options);
  }

  endOthers(options?: CallOptions) {
    return this.#calls.call('endOtherSessions', {}, options);
  }
}

class Passkeys {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  list(options?: CallOptions) {
    return this.#calls.call('listPasskeys', {}, options);
  }

  /** The options for `navigator.credentials.create`. */
  options(options?: CallOptions) {
    return this.#calls.call('beginPasskey', {}, options);
  }

  add(body: BodyOf<'addPasskey'>, options?: CallOptions) {
    return this.#calls.call('addPasskey', { body }, options);
  }

  rename(id: string, body: BodyOf<'renamePasskey'>, options?: CallOptions) {
    return this.#calls.call('renamePasskey', { path: { id }, body }, options);
  }

  remove(id: string, options?: CallOptions) {
    return this.#calls.call('removePasskey', { path: { id } }, options);
  }
}

class TwoFactor {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /** Returns the secret; `confirm` with a first code enables two-factor sign-in. */
  begin(body: BodyOf<'beginTwoFactor'>, options?: CallOptions) {
    return this.#calls.call('beginTwoFactor', { body }, options);
  }

  confirm(body: BodyOf<'confirmTwoFactor'>, options?: CallOptions) {
    return this.#calls.call('confirmTwoFactor', { body }, options);
  }

  disable(body: BodyOf<'endTwoFactor'>, options?: CallOptions) {
    return this.#calls.call('endTwoFactor', { body }, options);
  }

  newRecoveryCodes(body: BodyOf<'newRecoveryCodes'>, options?: CallOptions) {
    return this.#calls.call('newRecoveryCodes', { body }, options);
  }
}
