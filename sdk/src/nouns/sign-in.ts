import type { Calls } from '../http/calls.ts';
import type { BodyOf } from '../http/operation.ts';
import type { CallOptions } from '../http/options.ts';

/** For pages that Keyward itself serves: what signs in is the browser, with a cookie. */
export class SignIn {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /** How people may sign in here. */
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

  /** The second factor, with a code that serves once. */
  withRecoveryCode(body: BodyOf<'signInWithRecoveryCode'>, options?: CallOptions) {
    return this.#calls.call('signInWithRecoveryCode', { body }, options);
  }

  /** What `navigator.credentials.get` needs. */
  passkeyOptions(options?: CallOptions) {
    return this.#calls.call('beginPasskeySignIn', {}, options);
  }

  withPasskey(body: BodyOf<'signInWithPasskey'>, options?: CallOptions) {
    return this.#calls.call('signInWithPasskey', { body }, options);
  }

  /** What a setup link is for. */
  setupInfo(body: BodyOf<'getSetupInfo'>, options?: CallOptions) {
    return this.#calls.call('getSetupInfo', { body }, options);
  }

  /** Makes the owner of the account that a setup link is for. */
  setUp(body: BodyOf<'useSetupLink'>, options?: CallOptions) {
    return this.#calls.call('useSetupLink', { body }, options);
  }

  /** Answers where the browser is to go. */
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
