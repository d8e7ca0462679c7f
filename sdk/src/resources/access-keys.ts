import type { Calls } from '../http/calls.ts';
import type { BodyOf, QueryOf } from '../http/operation.ts';
import type { CallOptions } from '../http/options.ts';

/** Credentials for calls to Keyward. `key` is a value or an id (`ak_…`). */
export class AccessKeys {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /** The response contains the value of the access key; it is shown only this once. */
  create(body: BodyOf<'createAccessKey'>, options?: CallOptions) {
    return this.#calls.call('createAccessKey', { body }, options);
  }

  list(query: QueryOf<'listAccessKeys'> = {}, options?: CallOptions) {
    return this.#calls.list('listAccessKeys', { query }, options);
  }

  get(key: string, options?: CallOptions) {
    return this.#calls.call('getAccessKey', { path: { key } }, options);
  }

  update(key: string, body: BodyOf<'updateAccessKey'>, options?: CallOptions) {
    return this.#calls.call('updateAccessKey', { path: { key }, body }, options);
  }

  revoke(key: string, options?: CallOptions) {
    return this.#calls.call('deleteAccessKey', { path: { key } }, options);
  }

  reactivate(key: string, options?: CallOptions) {
    return this.#calls.call('reactivateAccessKey', { path: { key } }, options);
  }

  /** Creates a key with a new id and value; this one becomes invalid immediately, or after `graceSeconds`. */
  rotate(key: string, body: BodyOf<'rotateAccessKey'> = {}, options?: CallOptions) {
    return this.#calls.call('rotateAccessKey', { path: { key }, body }, options);
  }
}
