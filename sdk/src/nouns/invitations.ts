import type { Calls } from '../http/calls.ts';
import type { BodyOf, QueryOf } from '../http/operation.ts';
import type { CallOptions } from '../http/options.ts';

export class Invitations {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  create(body: BodyOf<'createInvitations'>, options?: CallOptions) {
    return this.#calls.call('createInvitations', { body }, options);
  }

  list(query: QueryOf<'listInvitations'> = {}, options?: CallOptions) {
    return this.#calls.list('listInvitations', { query }, options);
  }

  get(id: string, options?: CallOptions) {
    return this.#calls.call('getInvitation', { path: { id } }, options);
  }

  update(id: string, body: BodyOf<'updateInvitation'>, options?: CallOptions) {
    return this.#calls.call('updateInvitation', { path: { id }, body }, options);
  }

  cancel(id: string, options?: CallOptions) {
    return this.#calls.call('deleteInvitation', { path: { id } }, options);
  }

  /** What somebody may know who holds only the link. */
  info(id: string, options?: CallOptions) {
    return this.#calls.call('getInvitationInfo', { path: { id } }, options);
  }

  /** A new link in place of the old one. */
  resend(id: string, body: BodyOf<'resendInvitation'> = {}, options?: CallOptions) {
    return this.#calls.call('resendInvitation', { path: { id }, body }, options);
  }

  /** For whoever holds the link: as a new person, or as the one who is signed in. */
  accept(id: string, body: BodyOf<'acceptInvitation'>, options?: CallOptions) {
    return this.#calls.call('acceptInvitation', { path: { id }, body }, options);
  }
}
