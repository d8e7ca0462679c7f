import type { Calls } from '../http/calls.ts';
import type { BodyOf, QueryOf } from '../http/operation.ts';
import type { CallOptions } from '../http/options.ts';
import type { ValidateOptions, Validator } from '../validation/validator.ts';

/** The keys that you hand to the users of your API. `key` is a value or an id (`key_…`). */
export class ApiKeys {
  readonly #calls: Calls;
  readonly #validator: Validator;

  constructor(calls: Calls, validator: Validator) {
    this.#calls = calls;
    this.#validator = validator;
  }

  /** The answer holds the value of the key, this once. */
  create(body: BodyOf<'createApiKey'>, options?: CallOptions) {
    return this.#calls.call('createApiKey', { body }, options);
  }

  list(query: QueryOf<'listApiKeys'> = {}, options?: CallOptions) {
    return this.#calls.list('listApiKeys', { query }, options);
  }

  /** With the filters of `list`. */
  count(query: QueryOf<'countApiKeys'> = {}, options?: CallOptions) {
    return this.#calls.call('countApiKeys', { query }, options);
  }

  get(key: string, options?: CallOptions) {
    return this.#calls.call('getApiKey', { path: { key } }, options);
  }

  /** What is left out stays as it is, null clears; `customMetaData` is replaced whole. */
  update(key: string, body: BodyOf<'updateApiKey'>, options?: CallOptions) {
    return this.#calls.call('updateApiKey', { path: { key }, body }, options);
  }

  /** From now on the key is refused; `reactivate` takes it back. */
  revoke(key: string, options?: CallOptions) {
    return this.#calls.call('deleteApiKey', { path: { key } }, options);
  }

  /** Deletes the key for good, with its usage. */
  erase(key: string, options?: CallOptions) {
    return this.#calls.call('deleteApiKey', { path: { key }, query: { permanent: true } }, options);
  }

  reactivate(key: string, options?: CallOptions) {
    return this.#calls.call('reactivateApiKey', { path: { key } }, options);
  }

  /** A new value; the old one dies at once, or after `graceSeconds`. */
  rotate(key: string, body: BodyOf<'rotateApiKey'> = {}, options?: CallOptions) {
    return this.#calls.call('rotateApiKey', { path: { key }, body }, options);
  }

  /** Keys made elsewhere, up to 1,000 a call; sent again, what is there already stays as it is. */
  import(body: BodyOf<'importApiKeys'>, options?: CallOptions) {
    return this.#calls.call('importApiKeys', { body }, options);
  }

  /** Whether a value that somebody sent you is a valid key; see `Validation`. */
  validate(value: string, options?: ValidateOptions) {
    return this.#validator.validate(value, options);
  }

  validateMany(values: readonly string[], options?: ValidateOptions) {
    return this.#validator.validateMany(values, options);
  }
}
