import type { Calls } from '../http/calls.ts';
import type { BodyOf, QueryOf } from '../http/operation.ts';
import type { CallOptions } from '../http/options.ts';

export class Accounts {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /** Requires a session: with an access key it fails with `people_only`. */
  create(body: BodyOf<'createAccount'>, options?: CallOptions) {
    return this.#calls.call('createAccount', { body }, options);
  }

  list(query: QueryOf<'listAccounts'> = {}, options?: CallOptions) {
    return this.#calls.list('listAccounts', { query }, options);
  }

  get(id: string, options?: CallOptions) {
    return this.#calls.call('getAccount', { path: { id } }, options);
  }

  update(id: string, body: BodyOf<'updateAccount'>, options?: CallOptions) {
    return this.#calls.call('updateAccount', { path: { id }, body }, options);
  }
}
