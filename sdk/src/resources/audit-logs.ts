import type { Calls } from '../http/calls.ts';
import type { QueryOf } from '../http/operation.ts';
import type { CallOptions } from '../http/options.ts';

/** The log of who changed what. */
export class AuditLogs {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  list(query: QueryOf<'listAuditLogs'> = {}, options?: CallOptions) {
    return this.#calls.list('listAuditLogs', { query }, options);
  }
}
