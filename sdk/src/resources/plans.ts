import type { Calls } from '../http/calls.ts';
import type { BodyOf, QueryOf } from '../http/operation.ts';
import type { CallOptions } from '../http/options.ts';

/** Settings that many keys share. */
export class Plans {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  create(body: BodyOf<'createPlan'>, options?: CallOptions) {
    return this.#calls.call('createPlan', { body }, options);
  }

  list(query: QueryOf<'listPlans'> = {}, options?: CallOptions) {
    return this.#calls.list('listPlans', { query }, options);
  }

  get(id: string, options?: CallOptions) {
    return this.#calls.call('getPlan', { path: { id } }, options);
  }

  /** Applies at once to all keys with this plan. */
  update(id: string, body: BodyOf<'updatePlan'>, options?: CallOptions) {
    return this.#calls.call('updatePlan', { path: { id }, body }, options);
  }

  /** Fails while keys, customers or the project use the plan. */
  delete(id: string, options?: CallOptions) {
    return this.#calls.call('deletePlan', { path: { id } }, options);
  }

  /** Replays recorded usage through limits and credits, and returns what they would have refused. */
  preview(body: BodyOf<'previewPlan'>, options: CallOptions = {}) {
    // A million recorded minutes take several seconds.
    return this.#calls.call('previewPlan', { body }, { timeoutMs: 30_000, ...options });
  }
}
