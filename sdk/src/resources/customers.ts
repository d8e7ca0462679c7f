import type { Calls } from '../http/calls.ts';
import type { BodyOf, QueryOf } from '../http/operation.ts';
import type { CallOptions } from '../http/options.ts';

/**
 * Settings for all keys with the same `customAccountId`. `id` is an id (`cus_…`) or, if the query has
 * `projectId`, a `customAccountId`.
 */
export class Customers {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  create(body: BodyOf<'createCustomer'>, options?: CallOptions) {
    return this.#calls.call('createCustomer', { body }, options);
  }

  list(query: QueryOf<'listCustomers'> = {}, options?: CallOptions) {
    return this.#calls.list('listCustomers', { query }, options);
  }

  get(id: string, query: QueryOf<'getCustomer'> = {}, options?: CallOptions) {
    return this.#calls.call('getCustomer', { path: { id }, query }, options);
  }

  /** Applies at once to all keys of the customer. */
  update(
    id: string,
    body: BodyOf<'updateCustomer'>,
    query: QueryOf<'updateCustomer'> = {},
    options?: CallOptions,
  ) {
    return this.#calls.call('updateCustomer', { path: { id }, body, query }, options);
  }

  /** Its keys stay, without the settings of the customer. */
  delete(id: string, query: QueryOf<'deleteCustomer'> = {}, options?: CallOptions) {
    return this.#calls.call('deleteCustomer', { path: { id }, query }, options);
  }

  /** Adds or sets credits of the customer: `{ add: 100 }` or `{ set: 0 }`. */
  changeCredits(
    id: string,
    body: BodyOf<'changeCustomerCredits'>,
    query: QueryOf<'changeCustomerCredits'> = {},
    options?: CallOptions,
  ) {
    return this.#calls.call('changeCustomerCredits', { path: { id }, body, query }, options);
  }

  /** The credits of the customer, with the grants that have some left. */
  credits(id: string, query: QueryOf<'getCustomerCredits'> = {}, options?: CallOptions) {
    return this.#calls.call('getCustomerCredits', { path: { id }, query }, options);
  }

  /** What was granted, spent and expired in a period. Default: this month, in UTC. */
  creditStatement(
    id: string,
    query: Omit<QueryOf<'getCustomerCreditStatement'>, 'format'> = {},
    options?: CallOptions,
  ) {
    return this.#calls.call('getCustomerCreditStatement', { path: { id }, query }, options);
  }

  keys(id: string, query: QueryOf<'listCustomerKeys'> = {}, options?: CallOptions) {
    return this.#calls.list('listCustomerKeys', { path: { id }, query }, options);
  }

  usage(id: string, query: QueryOf<'getCustomerUsage'>, options?: CallOptions) {
    return this.#calls.list('getCustomerUsage', { path: { id }, query }, options);
  }

  /** Imports up to 1,000 customers per call. Customers that exist do not change. */
  import(body: BodyOf<'importCustomers'>, options?: CallOptions) {
    return this.#calls.call('importCustomers', { body }, options);
  }
}
