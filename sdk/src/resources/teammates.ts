import type { Calls } from '../http/calls.ts';
import type { BodyOf, QueryOf } from '../http/operation.ts';
import type { CallOptions } from '../http/options.ts';

/** The members of an account and their roles. */
export class Teammates {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  list(query: QueryOf<'listTeammates'> = {}, options?: CallOptions) {
    return this.#calls.list('listTeammates', { query }, options);
  }

  roles(id: string, options?: CallOptions) {
    return this.#calls.call('getUserRoles', { path: { id } }, options);
  }

  updateRole(id: string, body: BodyOf<'updateUserRole'>, options?: CallOptions) {
    return this.#calls.call('updateUserRole', { path: { id }, body }, options);
  }

  remove(id: string, options?: CallOptions) {
    return this.#calls.call('deleteUserRole', { path: { id } }, options);
  }

  /** Removes one project from a role that is limited to projects; removing the last one removes the role. */
  removeFromProject(id: string, projectId: string, options?: CallOptions) {
    return this.#calls.call('deleteUserRole', { path: { id }, query: { projectId } }, options);
  }
}
