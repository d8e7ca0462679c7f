import type { Calls } from '../http/calls.ts';
import type { BodyOf, QueryOf } from '../http/operation.ts';
import type { CallOptions } from '../http/options.ts';

export class Projects {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  create(body: BodyOf<'createProject'>, options?: CallOptions) {
    return this.#calls.call('createProject', { body }, options);
  }

  list(query: QueryOf<'listProjects'> = {}, options?: CallOptions) {
    return this.#calls.list('listProjects', { query }, options);
  }

  get(id: string, options?: CallOptions) {
    return this.#calls.call('getProject', { path: { id } }, options);
  }

  update(id: string, body: BodyOf<'updateProject'>, options?: CallOptions) {
    return this.#calls.call('updateProject', { path: { id }, body }, options);
  }

  /** Its keys are refused from now on; `reactivate` undoes this. */
  deactivate(id: string, options?: CallOptions) {
    return this.#calls.call('deleteProject', { path: { id } }, options);
  }

  reactivate(id: string, options?: CallOptions) {
    return this.#calls.call('reactivateProject', { path: { id } }, options);
  }
}
