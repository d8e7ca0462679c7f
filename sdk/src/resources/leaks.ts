import type { Calls } from '../http/calls.ts';
import type { BodyOf, QueryOf } from '../http/operation.ts';
import type { CallOptions } from '../http/options.ts';

/** Reports of key values that have leaked. */
export class Leaks {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /** One result for each value, in order. The server neither stores nor logs the values. */
  report(body: BodyOf<'reportLeaks'>, options?: CallOptions) {
    return this.#calls.call('reportLeaks', { body }, options);
  }

  list(query: QueryOf<'listLeaks'> = {}, options?: CallOptions) {
    return this.#calls.list('listLeaks', { query }, options);
  }
}
