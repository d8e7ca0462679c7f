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

  /** The public part of an invitation, for the person who has the link. */
  info(id: string, options?: CallOptions) {
    return this.#calls.call('getInvitationInfo', { path: { id } }, options);
  }

  /** Replaces the link with a new one. */
  resend(id: string, body: BodyOf<'resendInvitation'> = {}, options?: CallOptions) {
    return this.#calls.call('resendInvitation', { path: { id }, body }, options);
  }

  /** Accepts the invitation with its link, as a new user or as the signed-in one. */
  accept(id: string, body: BodyOf<'acceptInvitation'>, options?: CallOptions) {
    return this.#calls.call('acceptInvitation', { path: { id }, body }, options);
  }
}
