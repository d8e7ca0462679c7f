import type { Calls } from '../http/calls.ts';
import type { BodyOf, QueryOf } from '../http/operation.ts';
import type { CallOptions } from '../http/options.ts';

/** Sessions in which customers manage their own keys. */
export class PortalSessions {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /** Send the customer to `url`, or give `token` to `keyward/react` in your own page. */
  create(body: BodyOf<'createPortalSession'>, options?: CallOptions) {
    return this.#calls.call('createPortalSession', { body }, options);
  }

  list(query: QueryOf<'listPortalSessions'> = {}, options?: CallOptions) {
    return this.#calls.list('listPortalSessions', { query }, options);
  }

  get(id: string, options?: CallOptions) {
    return this.#calls.call('getPortalSession', { path: { id } }, options);
  }

  /** Ends the session at once. Keys that were created in it stay. */
  delete(id: string, options?: CallOptions) {
    return this.#calls.call('deletePortalSession', { path: { id } }, options);
  }
}
