import type { Calls } from '../http/calls.ts';
import type { BodyOf } from '../http/operation.ts';
import type { CallOptions } from '../http/options.ts';

/** For pages that Keyward itself serves: the browser is signed in with a cookie. */
export class SignIn {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /** The sign-in methods of this server. */
  methods(options?: CallOptions) {
    return this.#calls.call('getSignInMethods', {}, options);
  }

  withPassword(body: BodyOf<'signIn'>, options?: CallOptions) {
    return this.#calls.call('signIn', { body }, options);
  }

  /** The second factor, after `withPassword`. */
  withTotp(body: BodyOf<'signInWithTotp'>, options?: CallOptions) {
    return this.#calls.call('signInWithTotp', { body }, options);
  }

  /** The second factor, with a single-use recovery code. */
  withRecoveryCode(body: BodyOf<'signInWithRecoveryCode'>, options?: CallOptions) {
    return this.#calls.call('signInWithRecoveryCode', { body }, options);
  }

  /** The options for `navigator.credentials.get`. */
  passkeyOptions(options?: CallOptions) {
    return this.#calls.call('beginPasskeySignIn', {}, options);
  }

  withPasskey(body: BodyOf<'signInWithPasskey'>, options?: CallOptions) {
    return this.#calls.call('signInWithPasskey', { body }, options);
  }

  /** Returns what a setup link is for. */
  setupInfo(body: BodyOf<'getSetupInfo'>, options?: CallOptions) {
    return this.#calls.call('getSetupInfo', { body }, options);
  }

  /** Creates the owner of the account that the setup link is for. */
  setUp(body: BodyOf<'useSetupLink'>, options?: CallOptions) {
    return this.#calls.call('useSetupLink', { body }, options);
  }

  /** Returns the URL to which the browser must go. */
  withProvider(body: BodyOf<'beginProviderSignIn'>, options?: CallOptions) {
    return this.#calls.call('beginProviderSignIn', { body }, options);
  }

  forgotPassword(body: BodyOf<'forgetPassword'>, options?: CallOptions) {
    return this.#calls.call('forgetPassword', { body }, options);
  }

  resetPassword(body: BodyOf<'resetPassword'>, options?: CallOptions) {
    return this.#calls.call('resetPassword', { body }, options);
  }
}
