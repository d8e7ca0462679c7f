import type { Calls } from '../http/calls.ts';
import type { BodyOf } from '../http/operation.ts';
import type { CallOptions } from '../http/options.ts';

/** The person who is signed in: for sessions only, an access key is nobody. */
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

  /** Who is signed in, and the accounts that they belong to. */
  get(options?: CallOptions) {
    return this.#calls.call('getMe', {}, options);
  }

  update(body: BodyOf<'updateMe'>, options?: CallOptions) {
    return this.#calls.call('updateMe', { body }, options);
  }

  changePassword(body: BodyOf<'changePassword'>, options?: CallOptions) {
    return this.#calls.call('changePassword', { body }, options);
  }

  /** Answers where the browser is to go to add another way to sign in. */
  linkProvider(body: BodyOf<'linkProvider'>, options?: CallOptions) {
    return this.#calls.call('linkProvider', { body }, options);
  }

  /**
   * Proves who is there, with the password or a passkey: needed before a way to sign in is added or
   * removed, when the sign-in is older than five minutes.
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

/** Where they are signed in. */
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

  /** What `navigator.credentials.create` needs. */
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

  /** Shows the secret; `confirm` with a first code switches it on. */
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
