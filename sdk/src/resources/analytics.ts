import type { Calls } from '../http/calls.ts';
import type { QueryOf } from '../http/operation.ts';
import type { CallOptions } from '../http/options.ts';

/** How often keys were validated, and with what outcome. */
export class Analytics {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  apiKeyTotals(query: QueryOf<'getApiKeyTotals'> = {}, options?: CallOptions) {
    return this.#calls.list('getApiKeyTotals', { query }, options);
  }

  projectTotals(query: QueryOf<'getProjectTotals'> = {}, options?: CallOptions) {
    return this.#calls.list('getProjectTotals', { query }, options);
  }

  usage(query: QueryOf<'getUsage'>, options?: CallOptions) {
    return this.#calls.list('getUsage', { query }, options);
  }

  /** One row for each period in which a key, customer, project or resource was used. */
  exportUsage(query: QueryOf<'exportUsage'>, options?: CallOptions) {
    return this.#calls.list('exportUsage', { query }, options);
  }

  /** Samples of refused validations, newest first. */
  refusals(query: QueryOf<'listRefusals'> = {}, options?: CallOptions) {
    return this.#calls.list('listRefusals', { query }, options);
  }
}
